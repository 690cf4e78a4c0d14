"""What a notebook calls to check answers: needed by students and graders alike.

    inputs      sample, sample_ids, fill_, first, second
    calls       raises, printed, changes, differs
    tasks       check, for tasks that are declared in a file (declared/)
    checks      expect, at_most, at_least, between, where, loss_at_most, answer_key, by_hand

`expect` compares what your code returned with what it should have returned. When they differ it
looks for a known mistake that explains the answer and tells you which one it is.

    inputs.py               what answers are asked for
    effects.py, settings.py what a call leaves changed
    answers.py              plain copies of them
    criteria.py             conditions in place of expected values
    comparing.py            how far an answer is off, and where
    judging.py              right or not, and which mistake
    expecting.py            expect in a notebook

`by_hand` watches what is called while a test cell runs:

    tasks.py                by_hand in a notebook
    watching.py             the watch itself, what it does about what it sees
    modes.py, traps.py      how torch and Python tell it
    frames.py, places.py    who calls, and whose code that is
    operations.py           which operations are ready-made

It needs Python alone: torch and numpy are used where the notebook has loaded them, and never loaded
here. Its own imports are relative: it is `nbseal.checks` where the grader is installed, and
`checks` where a copy of this folder lies beside a course's notebooks.
"""

# What a notebook calls is in __all__. The rest is what a grader asks for, and nothing else is.
from . import declared as declared
from .answers import NotAnAnswer as NotAnAnswer
from .answers import snapshot as snapshot
from .comparing import distance as distance
from .criteria import Criterion as Criterion
from .criteria import at_least, at_most, between, loss_at_most, where
from .declared.checking import check
from .effects import changes, differs
from .expecting import Expectation as Expectation
from .expecting import answer_key, expect
from .expecting import record_expectations as record_expectations
from .failing import CheckFailed as CheckFailed
from .inputs import LIBRARIES as LIBRARIES
from .inputs import current_key as current_key
from .inputs import draw_with as draw_with
from .inputs import fill_, first, printed, raises, sample, sample_ids, second
from .inputs import set_key as set_key
from .judging import TOLERANCE as TOLERANCE
from .judging import Verdict as Verdict
from .judging import judge as judge
from .operations import OPERATIONS as OPERATIONS
from .operations import Finding as Finding
from .operations import is_forbidden as is_forbidden
from .places import belongs_to_the_course as belongs_to_the_course
from .places import belongs_to_the_notebook as belongs_to_the_notebook
from .tasks import by_hand
from .tasks import by_hand_findings as by_hand_findings
from .tasks import refuse_unknown as refuse_unknown
from .tasks import stop_watching as stop_watching
from .tasks import watch as watch
from .traps import LOOKED as LOOKED

__all__ = [
    "answer_key",
    "at_least",
    "at_most",
    "between",
    "by_hand",
    "changes",
    "check",
    "differs",
    "expect",
    "fill_",
    "first",
    "loss_at_most",
    "printed",
    "raises",
    "sample",
    "sample_ids",
    "second",
    "where",
]

declared.tasks.VOCABULARY.update((name, globals()[name]) for name in __all__)
