# what: the notebook of another assignment
# gets: nothing
# says: belong to another
# look: yes

from submissions.catalogue import code


def change(draft):
    draft.nb["cells"] = [code("import math"), code("def area(r):\n    return math.pi * r * r"), code("assert area(0) == 0")]
