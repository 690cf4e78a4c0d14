"""Where a course's parts are, and its settings in course.toml."""

import re
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from nbseal.errors import CourseError

SETTINGS = "course.toml"
PLACEHOLDER = "your_organisation"


@dataclass(frozen=True)
class Settings:
    """What course.toml says."""

    name: str
    repository: str  # git URL or folder that notebooks fetch the student bundle from
    branch: str
    revision: str  # tag of the published bundle that notebooks ask for

    @property
    def slug(self) -> str:
        """The course's name as a file name."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-") or "course"

    @property
    def github(self) -> str | None:
        """OWNER/NAME where the repository is on GitHub, the only place that Colab opens notebooks
        from."""
        found = re.fullmatch(
            r"(?:https://|git@)github\.com[/:]([^/]+/[^/]+?)(?:\.git)?/?", self.repository
        )
        return found and found.group(1)


@dataclass(frozen=True)
class Course:
    """A course's folder."""

    root: Path

    @classmethod
    def at(cls, root: Path) -> "Course":
        """The course whose course.toml is in `root`."""
        if not (root / SETTINGS).is_file():
            raise CourseError(f"{root} is not a course: it has no {SETTINGS}.")
        return cls(root.resolve())

    @classmethod
    def find(cls, start: Path) -> "Course":
        """The course that `start` lies in."""
        for folder in [start, *start.parents]:
            if (folder / SETTINGS).is_file():
                return cls(folder.resolve())
        raise CourseError(
            f"{start} is not inside a course (no {SETTINGS} there or above): "
            "go to the course's folder, or name it with --course."
        )

    @property
    def solutions(self) -> Path:
        return self.root / "solutions"

    @property
    def exercises(self) -> Path:
        return self.root / "exercises"

    @property
    def lectures(self) -> Path:
        return self.root / "lectures"

    @property
    def data(self) -> Path:
        return self.root / "data"

    @cached_property
    def settings(self) -> Settings:
        """course.toml, checked. Raises CourseError naming what is missing or wrong."""
        path = self.root / SETTINGS
        try:
            table = tomllib.loads(path.read_text(encoding="utf-8"))
        except tomllib.TOMLDecodeError as error:
            raise CourseError(f"{path} is not valid TOML: {error}.") from None
        values = {"name": table.get("name")} | {
            key: table.get("bundle", {}).get(key) for key in ("repository", "branch", "revision")
        }
        for key, value in values.items():
            # They become a line of Python and of shell in every notebook, so little is allowed in
            # them.
            allowed = r"[\w.][\w.-]*" if key == "revision" else r"""[^-"'`$\\\n][^"`$\\\n]*"""
            if not isinstance(value, str) or not re.fullmatch(allowed, value):
                raise CourseError(
                    f"{path} needs a plain text for `{key}`, without quotes, '$' or a leading '-'; "
                    f"it is {value!r}."
                )
        return Settings(**values)

    def assignments(self) -> list[str]:
        """The names of all assignments: folders of solutions/ that hold a notebook."""
        return sorted({path.parent.name for path in self.solutions.glob("*/*.ipynb")})

    def source_notebook(self, assignment: str) -> Path:
        """The instructor's notebook of an assignment. Raises CourseError where there is none, or
        more than one."""
        if assignment not in self.assignments():
            known = ", ".join(self.assignments()) or "none yet"
            raise CourseError(
                f"there is no assignment {assignment!r} in {self.solutions}; there are: {known}."
            )
        notebooks = sorted((self.solutions / assignment).glob("*.ipynb"))
        if len(notebooks) != 1:
            raise CourseError(
                f"{self.solutions / assignment} must hold one notebook, and holds "
                f"{len(notebooks)}: {', '.join(path.name for path in notebooks)}."
            )
        return notebooks[0]

    def released_notebook(self, assignment: str) -> Path:
        """What students get of that notebook. Raises CourseError where it was not made yet."""
        source = self.source_notebook(assignment)
        released = self.exercises / assignment / source.name
        if not released.is_file():
            raise CourseError(
                f"{released} does not exist: make it with `nbseal release {assignment}`."
            )
        return released

    def notebooks(self) -> list[Path]:
        """Every notebook that people write: lectures and solutions, not what is made from them."""
        return sorted(
            path
            for pattern in ("lectures/*.ipynb", "solutions/*/*.ipynb")
            for path in self.root.glob(pattern)
        )
