"""Run every lecture from top to bottom and save what it shows."""

import time
from pathlib import Path
from typing import Annotated

import typer
from nbseal.errors import CourseError
from nbseal.notebook import files

from tools.running import here, run


def execute(path: Path) -> float:
    """Run one notebook in its own folder and save its outputs, if every cell succeeds; returns the
    seconds it took."""
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    notebook = files.read(path)
    began = time.monotonic()
    try:
        files.execute(notebook, path.parent, timeout=600)
    except CellExecutionError as error:
        raise CourseError(f"{path} does not run: {error.ename}: {error.evalue}") from None
    except (CellTimeoutError, DeadKernelError) as error:
        raise CourseError(f"{path} does not run: {str(error).splitlines()[0]}") from None
    notebook.metadata.pop("widgets", None)
    files.write(notebook, path)
    return time.monotonic() - began


def main(
    lecture: Annotated[
        str | None, typer.Argument(help="One lecture, for example 02_layer_norm; all if not given.")
    ] = None,
) -> None:
    """Run lectures from top to bottom and save their outputs; one that fails keeps the outputs it
    had."""
    course = here()
    known = {path.stem: path for path in sorted((course.root / "lectures").glob("*.ipynb"))}
    if lecture and lecture not in known:
        raise CourseError(
            f"there is no lecture {lecture!r} in {course.root / 'lectures'}; there are: "
            f"{', '.join(known) or 'none'}."
        )
    for name in [lecture] if lecture else known:
        print(f"lectures/{name}: running", flush=True)
        print(f"lectures/{name}: saved after {execute(known[name]):.0f} s")


if __name__ == "__main__":
    run(main)
