"""Gradebooks with scores for which nobody's code has run."""

import pytest
from nbgrader.api import Gradebook
from support.classroom import PATH


def with_scores(path, assignment, scores, about=lambda who: {}):
    """Write a gradebook: an assignment of one task of 2 points, and who has how many of them.

    scores: student -> points, or None for who handed in nothing; about(student): what else the
    gradebook is to know of them.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", PATH)  # nbgrader calls alembic by name
        with Gradebook(f"sqlite:///{path}") as gradebook:
            gradebook.add_assignment(assignment)
            gradebook.add_notebook("tiny", assignment)
            gradebook.add_grade_cell("task", "tiny", assignment, max_score=2, cell_type="code")
            for who, score in scores.items():
                gradebook.add_student(who, **about(who))
                if score is not None:
                    gradebook.add_submission(assignment, who)
                    gradebook.find_grade("task", "tiny", assignment, who).auto_score = score
            gradebook.db.commit()
    return path
