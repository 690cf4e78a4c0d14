"""No attack gains a point, costs another student one, brings a hidden test home, or stops the
batch.

All attacks of a kind and a few honest students are one class, graded in parallel by `nbseal
autograde`; each test then looks at what every attack of a class got. `make test` has one attack of
each sort (selection.py). `make test-all` has all, and run by root a part of them once more with an
ordinary user grading.
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
from attacks.selection import THIRTY
from support.failures import all_are_right

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork") or not Path("/proc/self/ns").exists(),
    reason="only Linux can confine a session",
)

SEALED, PLAIN = load("sealed"), load("plain")
CHOSEN = [attack for attack in SEALED if attack.name in THIRTY.values()]
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
        outcome = (besiege_plain if kind == "plain" else besiege_sealed)(folder, kind, user)
        print(
            f"\n{len(outcome.scores)} submissions, {kind}, {user}: graded in {outcome.seconds:.0f} s, of which the grader itself "
            f"used {outcome.cpu_seconds:.0f} s of CPU and {outcome.memory >> 20} MB"
        )
        return outcome

    yield siege
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def besiege_sealed(folder: Path, kind: str, user: str) -> Outcome:
    course = make_norms(folder / "course")
    siege = Siege(course, ASSIGNMENT, folder / "home", user)
    for student, (answers, _) in HONEST.items():
        siege.hand_in(student, honest_work(course, answers))
    for attack in attacks(kind, user):
        siege.attack(attack)
    return siege.grade()


def besiege_plain(folder: Path, kind: str, user: str) -> Outcome:
    from attacks.plain_course import make_plain

    siege = make_plain(folder, user)
    for attack in attacks(kind, user):
        siege.attack(attack)
    return siege.grade()


def attacks(kind: str, user: str) -> list[Attack]:
    if user == "ordinary":
        return ORDINARY
    return {"chosen": CHOSEN, "sealed": SEALED, "plain": PLAIN}[kind]


slow, is_root = pytest.mark.slow, os.geteuid() == 0
each_class = pytest.mark.parametrize(
    "kind, user",
    [
        ("chosen", "root"),
        pytest.param("sealed", "root", marks=slow),
        pytest.param("plain", "root", marks=slow),
        pytest.param(
            "sealed",
            "ordinary",
            marks=[
                slow,
                pytest.mark.skipif(not is_root, reason="all tests are run by such a user"),
            ],
        ),
    ],
)


def no_attack(attacks: list[Attack], complaint) -> None:
    """No attack of a class of which there is a complaint."""
    all_are_right(attacks, lambda attack: f"{attack.name} ({attack.what})", complaint)


# ---- Each attack ---------------------------------------------------------------------------------


@each_class
def test_none_gains_a_point(siege, kind, user):
    outcome = siege(kind, user)

    def complaint(attack):
        scores = outcome.scores[attack.name]
        got = {cell.removesuffix("_test") for cell, points in scores.items() if points}
        if not got <= attack.may_get:
            return f"got points for {sorted(got - attack.may_get)}"
        if any(points not in (0, outcome.max_scores[cell]) for cell, points in scores.items()):
            return f"got other points than there are: {scores}"
        if attack.flagged and got and attack.name not in outcome.flagged:
            return "got points that a person has to decide about, and nobody is asked to"

    no_attack(attacks(kind, user), complaint)


@each_class
def test_none_brings_a_hidden_test_home(siege, kind, user):
    outcome = siege(kind, user)

    def complaint(attack):
        told = "\n".join(text.get(attack.name, "") for text in (outcome.feedback, outcome.comments))
        if found := [word for word in (LOOT, PLUNDER, *HIDDEN_WORDS) if word in told]:
            return f"was told {found}"

    no_attack(attacks(kind, user), complaint)


@each_class
def test_each_came_to_its_point(siege, kind, user):
    """Else that it gained nothing would prove nothing."""
    outcome = siege(kind, user)

    def complaint(attack):
        if attack.armed == ("nothing",):
            return
        if attack.armed:
            said = outcome.traces(attack.name)
            if not any(text in said for text in attack.armed):
                return f"none of {attack.armed} in {said[-3000:]}"
            return
        ended = {
            source: outcome.ended[attack.name].get(source.strip(), "not there")
            for source in attack.sources
        }
        return [f"{how}: {source}" for source, how in ended.items() if how]

    no_attack(attacks(kind, user), complaint)


@each_class
def test_none_is_told_anything_of_this_machine(siege, kind, user):
    outcome = siege(kind, user)

    def complaint(attack):
        comments = outcome.comments.get(attack.name, "")
        feedback = outcome.feedback.get(attack.name, "").replace(attack.name, "")
        places = (outcome.root, tempfile.gettempdir() + "/", "status", "SIG")
        if found := [word for word in places if word in comments]:
            return f"a comment says {found}: {comments}"
        asked = any("realpath" in source for source in attack.sources)
        if outcome.root in feedback and not asked:
            return "its feedback says where the course lies"

    no_attack(attacks(kind, user), complaint)


@each_class
def test_all_runs_of_one_take_no_more_than_one_session_may(siege, kind, user):
    outcome, most = siege(kind, user), LIMITS["session_seconds"] + SLACK_SECONDS

    def complaint(attack):
        if (seconds := outcome.seconds_of.get(attack.name, 0.0)) > most:
            return f"took {seconds:.0f} s, more than {most}"

    no_attack(attacks(kind, user), complaint)


@each_class
def test_none_reads_anything_outside(siege, kind, user):
    outcome = siege(kind, user)

    def complaint(attack):
        said = outcome.outputs.get(attack.name, "")
        return [word for word in (PLUNDER, DIARY, CLASSMATE) if word in said]

    no_attack(attacks(kind, user), complaint)


def misplaced(path: Path) -> bool:
    """Whether a file of a submission lies where a program or a person looks for another one."""
    names = [part.casefold() for part in path.parts]
    return (
        not all(name.isprintable() and not name.startswith(".") for name in names)
        or any(name.endswith((".pth", ".html")) for name in names)
        or bool({"nbgrader_config.py", "conftest.py", "sitecustomize.py"} & set(names))
        or (len(names) > 1 and any(name.endswith(".ipynb") for name in names))
    )


@each_class
def test_nothing_of_one_lies_where_a_program_or_a_person_looks(siege, kind, user):
    outcome = siege(kind, user)

    def complaint(attack):
        return [str(path) for path in outcome.beside.get(attack.name, ()) if misplaced(path)]

    no_attack(attacks(kind, user), complaint)


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
    honest = {"honest"} if kind == "plain" else set(HONEST)
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
    assert len(THIRTY) == len(CHOSEN) == 30
