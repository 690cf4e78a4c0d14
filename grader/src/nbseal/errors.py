"""The one exception that reaches people as a sentence instead of a traceback."""


class CourseError(Exception):
    """Something the person at the keyboard can mend: its text says what is wrong, where, and what
    to do."""
