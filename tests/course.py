"""Where the course is that these tests are of."""

from pathlib import Path

from nbseal.course import Course

ROOT = Path(__file__).resolve().parent.parent
COURSE = Course.at(ROOT)
