"""The students of the gradebook, and the one of them whom a name from elsewhere can mean."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nbgrader.coursedir import CourseDirectory

COLUMNS = ("id", "first_name", "last_name", "email", "lms_user_id")


class Roster:
    """The students of the gradebook, and what they are called elsewhere."""

    def __init__(self, students: Iterable[Mapping[str, Any]] = ()):
        self.ids: set[str] = set()
        self.names: dict[str, str] = {}  # id -> first and last name, where both are known
        self._by_key: dict[str, set[str]] = {}
        for student in students:
            self.ids.add(student["id"])
            first, last = student.get("first_name") or "", student.get("last_name") or ""
            called = [
                student["id"],
                student.get("lms_user_id"),
                student.get("email"),
                (student.get("email") or "").partition("@")[0],
            ]
            if first and last:
                self.names[student["id"]] = f"{first} {last}"
                called += [f"{first} {last}", f"{last} {first}", f"{last}, {first}"]
            for each in filter(None, called):
                self._by_key.setdefault(letters(each), set()).add(student["id"])

    @classmethod
    def of(cls, coursedir: CourseDirectory) -> Roster:
        """Everybody in a course's gradebook; nobody where there is no gradebook yet."""
        from nbgrader.api import Gradebook

        if not has_gradebook(coursedir):
            return cls()
        with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
            return cls(
                [{name: getattr(one, name) for name in COLUMNS} for one in gradebook.students]
            )

    def find(self, *keys: str | None) -> str | None:
        """The one student whom the first of these that anybody is called by can mean."""
        for key in filter(None, keys):
            found = self._by_key.get(letters(key), set())
            if len(found) == 1:
                return next(iter(found))
        return None

    def is_called(self, student: str, name: str) -> bool:
        """Whether a student may be called so; yes where the gradebook knows no name."""
        return student not in self.names or student in self._by_key.get(letters(name), set())


def has_gradebook(coursedir: CourseDirectory) -> bool:
    """Whether there is a gradebook: nbgrader makes one where it looks for it in vain."""
    path = Path(coursedir.db_url.removeprefix("sqlite:///"))
    return not coursedir.db_url.startswith("sqlite:///") or path.is_file()


def letters(text: str) -> str:
    """Without case, accents, spaces and signs, as Canvas writes names."""
    plain = unicodedata.normalize("NFKD", text)
    return "".join(sign for sign in plain if sign.isalnum()).lower()
