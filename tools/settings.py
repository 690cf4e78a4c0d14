"""A course's settings in course.toml: what it is called, and where students get it from.

Needed by `stamp`, `bundle` and `publish` alone; grading asks nbgrader_config.py.
"""

import re
import tomllib
from dataclasses import dataclass

from nbseal.course import Course
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


def of(course: Course) -> Settings:
    """course.toml, checked. Raises CourseError naming what is missing or wrong."""
    path = course.root / SETTINGS
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CourseError(
            f"{path} does not exist, and says where students get the course from: see "
            "docs/authoring.md."
        ) from None
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
    return Settings(**{key: str(value) for key, value in values.items()})
