# attack: test cells declared to be solutions, tasks, markdown or unlocked, with contents of its own
# points: none
# must not: have a test of its own making run, or points given by hand asked for

# %% change
def change(nb, folder):
    kinds = [{"solution": True}, {"locked": False}, {"task": True}, {"grade": False}, {"schema_version": 1}, {"schema_version": 99}]
    tests = [cell for cell in nb.cells if cell.metadata.get("nbgrader", {}).get("grade")]
    for cell, kind in zip(tests, kinds):
        cell.metadata["nbgrader"] |= kind
        cell["source"] = "print('passed')"
    for cell in tests[len(kinds):]:
        cell["cell_type"] = "markdown"
        for name in ("outputs", "execution_count"):
            cell.pop(name, None)
        cell["source"] = "passed"
