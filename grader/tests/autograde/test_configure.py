"""`nbseal.configure` beside what a course configures itself, above it and below it."""

import pytest
from nbgrader.preprocessors import Execute
from nbseal import configure
from traitlets.config import Config

SEALED = "nbseal.autograde.writing.SealedExecute"
SCORES = "nbseal.autograde.scoring.SaveAutoGrades"
TRUST = "nbseal.autograde.sanitizing.TrustOnlySource"


def test_a_list_above_it_keeps_what_is_the_course_s_own():
    c = Config()
    theirs = ["ours.Solve", Execute, "nbgrader.preprocessors.SaveAutoGrades", "ours.Bonus"]
    c.Autograde.autograde_preprocessors = theirs
    c.Autograde.sanitize_preprocessors = ["ours.First", "nbgrader.preprocessors.OverwriteCells"]
    c.GenerateFeedback.preprocessors = ["nbgrader.preprocessors.GetGrades", "ours.Thanks"]
    c.HTMLExporter.preprocessors = ["ours.Pretty"]
    c.HTMLExporter.filters = {"shout": "ours.shout"}
    configure(c)
    assert c.Autograde.autograde_preprocessors == ["ours.Solve", SEALED, SCORES, "ours.Bonus"]
    assert c.Autograde.sanitize_preprocessors[:2] == [TRUST, "ours.First"]
    strip = "nbseal.pages.feedback.StripHidden"
    assert c.GenerateFeedback.preprocessors[1:] == [strip, "ours.Thanks"]
    assert "ours.Pretty" in c.HTMLExporter.preprocessors
    assert "nbseal.pages.safe_notebook.SafeToLookAt" in c.HTMLExporter.preprocessors


@pytest.mark.parametrize("above", [True, False])
def test_what_is_appended_above_or_below_is_there(above):
    c = Config()
    if above:
        c.Autograde.autograde_preprocessors.append("ours.Bonus")
    configure(c)
    if not above:
        c.Autograde.autograde_preprocessors.append("ours.Bonus")
    assert c.Autograde.autograde_preprocessors[0] == SEALED
    assert c.Autograde.autograde_preprocessors[-1] == "ours.Bonus"
