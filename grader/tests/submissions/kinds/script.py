# what: a Python script that Jupyter exported, under the notebook's name
# gets: everything
# says: Python script
# look: yes

def change(draft):
    parts = ["# In[%d]:\n\n\n%s" % (number, cell["source"]) if cell["cell_type"] == "code" else "\n".join("# " + line for line in cell["source"].split("\n")) for number, cell in enumerate(draft.cells)]
    return ("#!/usr/bin/env python\n# coding: utf-8\n\n" + "\n\n\n".join(parts)).encode()
