# what: stored outputs lack what the format demands
# gets: everything
# says: not a valid notebook

def change(draft):
    draft.solutions[0]["outputs"] = [{"output_type": "display_data"}, {"text": 3}, None]
