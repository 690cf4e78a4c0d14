# attack: points of 300 for every test, points for the answers, and a bonus cell of its own
# points: none
# must not: be believed about points
# ordinary: yes

# %% change
def change(nb, folder):
    import nbformat
    for cell in nb.cells:
        marks = cell.metadata.get("nbgrader")
        if marks and (marks.get("grade") or marks.get("solution")):
            marks |= {"points": 300, "score": 300, "grade": True}
    marks = {"grade_id": "bonus", "grade": True, "solution": False, "locked": True, "points": 100, "schema_version": 3, "task": False,
             "cell_type": "code", "checksum": "0" * 32}
    nb.cells.append(nbformat.v4.new_code_cell("print('bonus')", metadata={"nbgrader": marks}))
