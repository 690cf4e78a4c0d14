# what: an answer became a raw cell and lost its marks
# gets: everything
# says: found by what it defines

def change(draft):
    solution = draft.solutions[0]
    solution |= {"cell_type": "raw", "metadata": {}, "id": "raw-one"}
    del solution["outputs"], solution["execution_count"]
