# what: all answers were moved below the tests
# gets: everything
# says: order

def change(draft):
    answers = draft.solutions
    draft.cells = [cell for cell in draft.cells if not any(cell is one for one in answers)] + answers
