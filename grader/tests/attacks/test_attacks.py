"""No attack gains a point, costs another student one, brings a hidden test home, or stops the
batch.

All attacks of a kind and a few honest students are one class, graded in parallel by `nbseal
autograde`; each test then looks at what one attack got. Run by root, a part of the attacks is tried
again with an ordinary user grading.
"""

import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

import pytest
from attacks.besieged import CLASSMATE, DIARY, LIMITS, Outcome, Siege
from attacks.catalogue import LOOT, PLUNDER, Attack, load
from attacks.norms_course import ASSIGNMENT, HONEST, honest_work, make_norms

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork") or not Path("/proc/self/ns").exists(),
    reason="only Linux can confine a session",
)

SEALED, PLAIN = load("sealed"), load("plain")
ORDINARY = [attack for attack in SEALED if attack.ordinary]
# What starting, interrupting and ending sessions takes on a busy machine, beside their own time.
SLACK_SECONDS = 15
# Words of the hidden tests of both kinds that no student may read.
HIDDEN_WORDS = ("seed=11", "seed=23", "_course_expect", "sample(4, 7", "4827")


@pytest.fixture(scope="session")
def siege():
    """(kind, user) -> what grading such a class came to; made when first asked for."""
    folders = []

    @cache
    def siege(kind: str, user: str) -> Outcome:
        # pytest's own folders are closed to other users
        folder = Path(tempfile.mkdtemp(prefix="siege-"))
        folder.chmod(0o755)
        folders.append(folder)
        outcome = (besiege_sealed if kind == "sealed" else besiege_plain)(folder, user)
        print(
            f"\n{len(outcome.scores)} submissions, {kind}, {user}: graded in {outcome.seconds:.0f} s, of which the grader itself "
            f"used {outcome.cpu_seconds:.0f} s of CPU and {outcome.memory >> 20} MB"
        )
        return outcome

    yield siege
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def besiege_sealed(folder: Path, user: str) -> Outcome:
    course = make_norms(folder / "course")
    siege = Siege(course, ASSIGNMENT, folder / "home", user)
    for student, (answers, _) in HONEST.items():
        siege.hand_in(student, honest_work(course, answers))
    for attack in attacks("sealed", user):
        siege.attack(attack)
    return siege.grade()


def besiege_plain(folder: Path, user: str) -> Outcome:
    from attacks.plain_course import make_plain

    siege = make_plain(folder, user)
    for attack in PLAIN:
        siege.attack(attack)
    return siege.grade()


def attacks(kind: str, user: str) -> list[Attack]:
    return PLAIN if kind == "plain" else SEALED if user == "root" or os.geteuid() != 0 else ORDINARY


ALL = (
    [("sealed", "root", attack) for attack in SEALED]
    + [("plain", "root", attack) for attack in PLAIN]
    + [("sealed", "ordinary", attack) for attack in ORDINARY]
)
each_attack = pytest.mark.parametrize(
    "kind, user, attack", ALL, ids=[f"{kind}-{user}-{attack.name}" for kind, user, attack in ALL]
)
each_class = pytest.mark.parametrize(
    "kind, user", [("sealed", "root"), ("plain", "root"), ("sealed", "ordinary")]
)


@pytest.fixture(autouse=True)
def _as_this_user(request):
    if (
        getattr(request.node, "callspec", None)
        and request.node.callspec.params.get("user") == "ordinary"
        and os.geteuid() != 0
    ):
        pytest.skip("the tests are run by an ordinary user already")


# ---- Each attack ---------------------------------------------------------------------------------


@each_attack
def test_it_gains_no_point(siege, kind, user, attack):
    outcome = siege(kind, user)
    got = {
        cell.removesuffix("_test") for cell, points in outcome.scores[attack.name].items() if points
    }
    assert got <= attack.may_get
    assert all(
        points in (0, outcome.max_scores[cell])
        for cell, points in outcome.scores[attack.name].items()
    )
    if attack.flagged and got:
        assert attack.name in outcome.flagged, (
            "it got points that a person has to decide about, and nobody is asked to"
        )


@each_attack
def test_it_brings_no_hidden_test_home(siege, kind, user, attack):
    outcome = siege(kind, user)
    for words in (outcome.feedback.get(attack.name, ""), outcome.comments.get(attack.name, "")):
        assert LOOT not in words
        assert PLUNDER not in words
        assert [word for word in HIDDEN_WORDS if word in words] == []


@each_attack
def test_it_came_to_its_point(siege, kind, user, attack):
    """Else that it gained nothing would prove nothing."""
    outcome = siege(kind, user)
    if attack.armed == ("nothing",):
        return
    if attack.armed:
        said = outcome.traces(attack.name)
        assert any(text in said for text in attack.armed), said[-3000:]
        return
    for source in attack.sources:
        assert outcome.ended[attack.name].get(source.strip(), "not there") == "", source


@each_attack
def test_it_is_told_nothing_of_this_machine(siege, kind, user, attack):
    outcome = siege(kind, user)
    comments = outcome.comments.get(attack.name, "")
    assert outcome.root not in comments and tempfile.gettempdir() + "/" not in comments
    assert "status" not in comments and "SIG" not in comments
    assert outcome.root not in outcome.feedback.get(attack.name, "").replace(attack.name, "") or (
        any("realpath" in source for source in attack.sources)  # it asked for that itself
    )


@each_attack
def test_all_its_runs_together_take_no_more_than_one_session_may(siege, kind, user, attack):
    seconds = siege(kind, user).seconds_of.get(attack.name, 0.0)
    assert seconds <= LIMITS["session_seconds"] + SLACK_SECONDS


@each_attack
def test_it_reads_nothing_outside(siege, kind, user, attack):
    said = siege(kind, user).outputs.get(attack.name, "")
    assert PLUNDER not in said
    assert DIARY not in said and CLASSMATE not in said


@each_attack
def test_nothing_of_it_lies_where_a_program_or_a_person_looks(siege, kind, user, attack):
    outcome = siege(kind, user)
    for path in outcome.beside.get(attack.name, ()):
        names = [part.casefold() for part in path.parts]
        assert all(name.isprintable() and not name.startswith(".") for name in names), path
        assert not any(name.endswith((".pth", ".html")) for name in names), path
        assert not {"nbgrader_config.py", "conftest.py", "sitecustomize.py"} & set(names), path
        assert not [name for name in names if name.endswith(".ipynb")] or len(names) == 1


# ---- The class -----------------------------------------------------------------------------------


@each_class
def test_no_other_student_loses_a_point(siege, kind, user):
    outcome = siege(kind, user)
    if kind == "plain":
        # of 2, as it answers
        assert outcome.scores["honest"] == outcome.max_scores | {"partial": 1}
        return
    for student, (_, failed) in HONEST.items():
        expected = {
            cell: 0 if cell in failed else points for cell, points in outcome.max_scores.items()
        }
        assert outcome.scores[student] == expected, (student, outcome.comments[student])
        assert student not in outcome.flagged
        assert student in outcome.feedback


@each_class
def test_the_batch_ends_and_everyone_is_in_the_gradebook(siege, kind, user):
    outcome = siege(kind, user)
    honest = set(HONEST) if kind == "sealed" else {"honest"}
    expected = honest | {attack.name for attack in attacks(kind, user)}
    assert outcome.students == expected == set(outcome.scores)
    # 1: some submission is no notebook that can be graded
    assert outcome.returncode in (0, 1), outcome.said
    assert "Traceback" not in outcome.said


@each_class
def test_nothing_outside_scratch_changes(siege, kind, user):
    outcome = siege(kind, user)
    assert outcome.changed == []
    assert outcome.bystander_lives
    assert outcome.survivors == []


@each_class
def test_nothing_said_acts_on_a_terminal(siege, kind, user):
    said = siege(kind, user).said
    assert [ascii(one) for one in said if not (one.isprintable() or one == "\n")] == []


@each_class
def test_the_grader_is_neither_filled_nor_kept_busy(siege, kind, user):
    outcome = siege(kind, user)
    assert outcome.memory < 1 << 30
    assert outcome.cpu_seconds < 60 + len(outcome.scores)  # a second each, and what starting takes


def test_there_are_enough_attacks():
    assert len(SEALED) + len(PLAIN) >= 180 and len(ORDINARY) >= 20
