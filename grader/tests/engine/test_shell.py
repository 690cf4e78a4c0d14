"""A session's outputs are those that nbgrader's Execute would have recorded with a real kernel."""

import re

import nbformat
import pytest
from nbgrader.preprocessors import Execute
from nbseal.engine.outputs import LANGUAGE
from nbseal.records import Limits, Work
from support.engine_tools import executed, notebook
from support.one_engine import limited

KERNEL_CELLS = {
    "stream": "print('one'); print('two')",
    "result": "{'a': [1, 2]}",
    "no result of an assignment": "x = 3",
    "semicolon": "x;",
    "printed, then result": "print('before')\n[1, 2]",
    "display between prints": "from IPython.display import display\nprint('a')\ndisplay(1, 2)\nprint('b')",
    "html": "from IPython.display import HTML\nHTML('<b>bold</b>')",
    "error": "def f(x):\n    return 1 / x\nprint('before')\nf(0)",
    "syntax error": "def f(:",
    "after an error the next cell runs": "x + 1",
    "top-level await": "import asyncio\nawait asyncio.sleep(0.001)\n'awaited'",
    "async error": "async def g():\n    raise ValueError('late')\nawait g()",
    "the loop is running": "asyncio.get_event_loop().is_running()",
    "task of an earlier cell": "task = asyncio.ensure_future(asyncio.sleep(0.001, result=5))",
    "awaited here": "await task",
    "line magic": "%precision 3\n3.14159",
    "cell magic": "%%capture captured\nprint('kept')",
    "captured": "captured.stdout",
    "last result": "41 + 1",
    "underscore": "_ + 1",
    "In and Out": "In[-1], len(In), sorted(Out)[-1]",
    "unknown magic": "%nosuchmagic",
    "shell": "!echo from the shell",
    "shell into a variable": "listing = !echo one; echo two\nlist(listing)",
    "subprocess": "import subprocess\nsubprocess.run(['echo', 'past Python'])\n"
    "import time; time.sleep(0.3)",  # a kernel reads it in a thread, which may be late
    "clear": "from IPython.display import clear_output\nprint('gone')\nclear_output()\nprint('stays')",
    "clear and wait": "print('gone')\nclear_output(wait=True)\nprint('stays')",
    "clear and wait for nothing": "print('stays')\nclear_output(wait=True)",
    "display handle": "handle = display('first', display_id='here')",
    "update": "handle.update('second')",
    "input": "try:\n    input('name?')\nexcept Exception as error:\n    print(type(error).__name__, error)",
    "exit is an exception": "raise SystemExit(3)",
    "sys.exit": "import sys\nsys.exit()",
    "mime bundle": "display({'text/plain': 'p', 'application/json': {'a': 1}}, raw=True)",
    "repr that fails": "class Bad:\n    def __repr__(self): raise ValueError('no repr')\nBad()",
    "own exception": "class Mine(Exception):\n    def _render_traceback_(self): return ['just this']\nraise Mine('x')",
    "chained": "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    raise KeyError('second') from error",
    "traceback of an earlier cell": "f(0)",
    "counted": "get_ipython().execution_count",
    "signs of magics in a text": "print('%d!' % 3, '''\n%nosuchmagic\n!echo\nwhat?''')",
    "another end of a line in a text": "print('''a\x0c!echo no\n''')",
    "backslashes": "print('\\d', 'a' \\\n'b')",
    "keywords behind numbers": "y = 3\n[1if y>2 else 0, 5or 2, 0x1for y in [1]][:2]",
    "a keyword behind a number": "[1if y>2 else 0, 5or 2, 0xfor 3]",
    "a prompt": ">>> 1 + 1",
    "indented": "    6 * 7",
    "indented otherwise": "if True:\n        x = 1\n    y = 2",
    "help": "no_such_thing?",
    "nothing": "   ",
    "a comment": "# nothing",
    "warning": "import warnings\nwarnings.warn('careful')",
    "main": "__name__, get_ipython().__class__.__module__ != ''",
    "pickle of an own class": "import pickle\nclass P: pass\ntype(pickle.loads(pickle.dumps(P()))).__name__",
    "threads print": "import threading\nt = threading.Thread(target=print, args=('from a thread',))\nt.start(); t.join()",
    "carriage return": "print('10%\\r20%\\r', end='')",
}
FIGURES = {
    "figure": "import matplotlib.pyplot as plt\nplt.plot([1, 2, 3]);",
    "figure and result": "fig, ax = plt.subplots()\nax.plot([3, 1])",
    "shown, then printed": "plt.plot([1]); plt.show()\nprint('after')",
    "closed": "plt.plot([1]); plt.close()",
    "magic": "%matplotlib inline\nplt.plot([1]);",
}


def shape(output):
    """An output without what differs from run to run: addresses, file names, the interpreter's
    colours, pictures."""
    output = nbformat.from_dict(dict(output))
    for key in ("data",):
        if key in output:
            output[key] = {
                kind: "png" if kind == "image/png" else scrub(value)
                for kind, value in output[key].items()
            }
    if "traceback" in output:
        output["traceback"] = scrub("\n".join(output["traceback"]))
    if "text" in output:
        output["text"] = scrub(output["text"])
    return dict(output)


def scrub(value):
    if not isinstance(value, str):
        return value
    value = re.sub(r"\x1b\[[0-9;]*m", "", value).replace("\r\n", "\n")
    value = re.sub(r"/\S*ipykernel_\d+/\d+\.py|<ipython-input-[^>]*>", "CELL", value)
    return re.sub(r"0x[0-9a-f]+", "ADDRESS", value)


def joined(outputs):
    """Neighbouring pieces of one stream as one: a kernel cuts them by time."""
    result = []
    for output in map(shape, outputs):
        if (
            result
            and output["output_type"] == "stream" == result[-1]["output_type"]
            and output["name"] == result[-1]["name"]
        ):
            result[-1]["text"] += output["text"]
        else:
            result.append(output)
    return result


@pytest.fixture(scope="module")
def both(shared_engine):
    """The same notebook run by nbgrader with a real kernel, and by the engine."""
    cells = [*KERNEL_CELLS.values(), *FIGURES.values()]
    with pytest.MonkeyPatch.context() as patch:
        # ipykernel captures less when it finds itself in a test
        patch.delenv("PYTEST_CURRENT_TEST", raising=False)
        real, _ = Execute(timeout=60, kernel_name="python3").preprocess(notebook(*cells), {})
    with limited(shared_engine, Limits(cell_seconds=60)) as engine:
        engine.prepare(None, notebook(*cells), name="kernel")
        ours = notebook(*cells)
        result = engine.submit(Work("ada", "kernel", ours)).result()
    assert result.problem is None
    return real, executed(ours, result)


@pytest.mark.parametrize("name", [*KERNEL_CELLS, *FIGURES])
def test_outputs_are_those_of_a_kernel(both, name):
    real, ours = both
    index = [*KERNEL_CELLS, *FIGURES].index(name)
    assert joined(ours.cells[index].outputs) == joined(real.cells[index].outputs)
    assert ours.cells[index].execution_count == real.cells[index].execution_count


def test_the_notebook_says_which_language_it_is_in(both):
    real, _ = both
    assert real.metadata["language_info"] == LANGUAGE
