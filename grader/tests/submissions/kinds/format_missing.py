# what: the notebook does not say its format
# gets: everything
# says: not a valid notebook

def change(draft):
    del draft.nb["nbformat"], draft.nb["nbformat_minor"]
