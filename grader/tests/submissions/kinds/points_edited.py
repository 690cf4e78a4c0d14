# what: the student gave every test cell 100 points
# gets: everything
# says: marks

def change(draft):
    for cell in draft.tests:
        cell["metadata"]["nbgrader"]["points"] = 100
