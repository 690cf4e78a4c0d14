# attack: test cells swap names, share one name, or bear the name of an easier test
# points: none
# must not: have one test's verdict counted for another

# %% row_stats
def row_stats(x):
    mean = x.mean(dim=-1, keepdim=True)
    return mean, (x - mean)

# %% change
def change(nb, folder):
    tests = [cell for cell in nb.cells if cell.metadata.get("nbgrader", {}).get("grade")]
    for cell in tests:
        cell.metadata["nbgrader"]["grade_id"] = "row_stats_test"
        cell.metadata["nbgrader"]["points"] = 3
