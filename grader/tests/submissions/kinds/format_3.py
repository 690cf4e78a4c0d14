# what: the notebook is of format 3
# gets: everything
# says: format is 3

def change(draft):
    cells = []
    for cell in draft.cells:
        if cell["cell_type"] == "code":
            cells.append({"cell_type": "code", "language": "python", "input": cell["source"], "outputs": [], "metadata": cell["metadata"], "collapsed": False})
        else:
            cells.append({"cell_type": "markdown", "source": cell["source"], "metadata": cell["metadata"]})
    return {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": [{"cells": cells, "metadata": {}}]}
