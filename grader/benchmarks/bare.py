"""CPU seconds of a class's cells and nothing else: one warm process, a fork for each submission, no
isolation.

    python grader/benchmarks/bare.py COURSE ASSIGNMENT        prints the mean of one submission
"""

import contextlib
import io
import os
import sys
from pathlib import Path


def main(root: Path, assignment: str) -> None:
    os.environ["MPLBACKEND"] = "agg"
    os.environ["OMP_THREAD_LIMIT"] = "1"
    sys.path.insert(0, str(root))
    import matplotlib.pyplot  # noqa: F401 - what the notebooks import, so that no submission pays for it
    import seaborn  # noqa: F401
    import torch
    from IPython.core.interactiveshell import InteractiveShell
    from nbseal.course import Course
    from nbseal.notebook import files, marks

    if (root / "utils.py").is_file():
        import utils  # noqa: F401 - the course's

    torch.set_num_threads(1)
    # loads a second of modules when it is first used
    torch.optim.Adam([torch.nn.Parameter(torch.zeros(1))])
    os.chdir(root)
    shell = InteractiveShell.instance()
    tests = {
        marks.grade_id(cell): cell.source
        for cell in files.read(Course.at(root).source_notebook(assignment)).cells
        if marks.points(cell)
    }
    used = []
    for path in sorted((root / "submitted").glob(f"*/{assignment}/*.ipynb")):
        cells = [
            tests.get(marks.grade_id(cell), cell.source)
            for cell in files.read(path).cells
            if cell.cell_type == "code" and "skip-execution" not in cell.metadata.get("tags", ())
        ]
        used.append(_cpu_seconds_of(lambda: [shell.run_cell(cell) for cell in cells]))
    print(sum(used) / len(used))


def _cpu_seconds_of(work) -> float:
    """Do it in a forked child; what it prints is dropped."""
    child = os.fork()
    if child == 0:
        with (
            open(os.devnull, "w") as nowhere,
            contextlib.redirect_stdout(nowhere),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            work()
        os._exit(0)
    _, _, usage = os.wait4(child, 0)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), sys.argv[2])
