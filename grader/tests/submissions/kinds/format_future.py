# what: the notebook is of a format that does not exist yet
# gets: everything
# says: not a valid notebook

def change(draft):
    draft.nb |= {"nbformat": 5, "nbformat_minor": 1}
