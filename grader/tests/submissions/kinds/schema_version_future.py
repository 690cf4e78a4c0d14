# what: the marks are those of a schema that does not exist yet
# gets: everything
# says: marks

from submissions.catalogue import marks


def change(draft):
    for cell in draft.cells:
        if marks(cell):
            cell["metadata"]["nbgrader"]["schema_version"] = 99
