# what: an answer is no Python any more
# gets: all but first

def change(draft):
    draft.solutions[0]["source"] += "\n  )"
