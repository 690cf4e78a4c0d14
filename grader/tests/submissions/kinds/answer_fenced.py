# what: an answer stands in a markdown cell between ``` marks, the solution cell is as released
# gets: everything
# says: found by what it defines

def change(draft):
    solution = draft.solutions[0]
    text = {"cell_type": "markdown", "metadata": {}, "id": "fenced", "source": "```python\n" + solution["source"] + "\n```"}
    draft.insert_before(solution, text)
    solution["source"] = draft.stub_of(solution)
