"""Where a course keeps what it knows of right and wrong solutions: beside its sources, since these
are released with all that lies in their folders."""

from pathlib import Path

from traitlets import TraitError, Unicode
from traitlets.config import Config, Configurable
from traitlets.config.loader import PyFileConfigLoader

from nbseal.course import CONFIG, Course
from nbseal.errors import CourseError


class Bank(Configurable):
    """What `c.Bank` in nbgrader_config.py says."""

    folder = Unicode(
        "bank", help="The folder of right and wrong solutions, from the course's folder."
    ).tag(config=True)


def bank_folder(course: Course, assignment: str) -> Path:
    """Where the solutions of an assignment are. Raises CourseError where `c.Bank.folder` is no
    text."""
    path = course.root / CONFIG
    config = Config()
    if path.is_file():
        config = PyFileConfigLoader(path.name, path=str(path.parent)).load_config()
    try:
        return course.root / Bank(config=config).folder / assignment
    except TraitError:
        raise CourseError(
            f"{path} must give `c.Bank.folder` as text, for example 'bank'; it is "
            f"{config.Bank.folder!r}."
        ) from None
