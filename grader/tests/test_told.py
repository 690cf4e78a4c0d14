"""Sentences that students read name no path of the machine, and are sentences still."""

import pytest
from nbseal.notebook.text import without_paths


@pytest.mark.parametrize(
    "sentence, told",
    [
        (
            "/srv/courses/ml/utils.py cannot be read: make it readable.",
            "utils.py cannot be read: make it readable.",
        ),
        ("No such file: '/home/ann lee/course/data'.", "No such file: 'data'."),
        ("copy of (/tmp/nbseal-x/session-y) failed", "copy of (session-y) failed"),
        ("The session did not start: /var/tmp/a.b.", "The session did not start: a.b."),
        ("run `chmod -R o+rX /srv/course`.", "run `chmod -R o+rX course`."),
        (
            "1/2 of and/or https://nbgrader.readthedocs.io/en/stable",
            "1/2 of and/or https://nbgrader.readthedocs.io/en/stable",
        ),
        ("assignment/notebook.ipynb is damaged.", "assignment/notebook.ipynb is damaged."),
        ("Cell 4 did not stop after 8 s.", "Cell 4 did not stop after 8 s."),
        ('open "/etc/x y/z"', 'open "z"'),
    ],
)
def test_a_path_is_its_last_name(sentence, told):
    assert without_paths(sentence) == told
