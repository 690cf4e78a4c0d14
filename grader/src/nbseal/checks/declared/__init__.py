"""Declared tasks: what is asked, and each mistake once, as code.

asking.py     a probe: a question to a namespace, and its answer
tasks.py      what an author writes: Task, its sections, mistakes as edits of the reference
plain.py      what holds for every function of plain Python
tensors.py    ... of torch tensors; needs torch, and is loaded by task files that use it
layers.py     ... for modules; the same
judging.py    what is wanted, whether an answer is that, and which mistake it is
stored.py     tasks.json, which students get, and graded.json
checking.py   check("row_stats") in a notebook
showing.py    what it shows, as text and as HTML
"""

from .asking import PUBLIC as PUBLIC
from .asking import Probe as Probe
from .asking import drawn_with as drawn_with
from .judging import BadReference as BadReference
from .judging import Diagnosis as Diagnosis
from .judging import Known as Known
from .judging import Result as Result
from .judging import Wanted as Wanted
from .judging import advice as advice
from .judging import diagnose as diagnose
from .judging import is_same as is_same
from .judging import judge as judge
from .judging import known_by as known_by
from .judging import thinned as thinned
from .judging import wanted as wanted
from .showing import details as details
from .stored import FOLDER as FOLDER
from .stored import FORMAT as FORMAT
from .stored import GRADED as GRADED
from .stored import VISIBLE as VISIBLE
from .stored import Stored as Stored
from .stored import digest as digest
from .stored import packed as packed
from .stored import read as read
from .stored import read_task as read_task
from .stored import unpacked as unpacked
from .tasks import Mistake as Mistake
from .tasks import Section as Section
from .tasks import Task as Task
from .tasks import ask as ask
from .tasks import chosen as chosen
from .tasks import load as load
from .tasks import load_mistakes as load_mistakes
from .tasks import load_variants as load_variants
from .tasks import sections as sections
