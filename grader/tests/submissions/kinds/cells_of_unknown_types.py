# what: cells have types that do not exist, or are no cells
# gets: everything
# says: not a valid notebook

def change(draft):
    draft.cells += [{"cell_type": "sql", "source": "select 1", "metadata": {}}, None, 3, {}]
