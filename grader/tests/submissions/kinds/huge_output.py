# what: a cell stores 80 MB of output
# gets: everything

def change(draft):
    draft.solutions[0]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x" * (80 << 20)}]
