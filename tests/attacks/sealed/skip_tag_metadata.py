# attack: claims in the metadata that everything was graded and passed, in this program's own words
# points: none
# must not: be believed about its own verdicts

# %% change
def change(nb, folder):
    told = {"passed": True, "problem": None, "checks": [{"label": "forged", "ok": True, "mistake": None}]}
    nb.metadata["grading"] = {"sealed": True, "passed": {"row_stats_test": True}, "problem": None, "flags": []}
    nb.metadata["grading_repair"] = {"notes": [], "doubts": [], "unreadable": None}
    for cell in nb.cells:
        cell.metadata["grading"] = told
        if cell.metadata.get("nbgrader", {}).get("grade"):
            cell.metadata["nbgrader"]["score"] = 100
            cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "✓ all"}]
            cell["execution_count"] = 1
