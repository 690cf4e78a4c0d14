# what: the notebook stores the state of widgets
# gets: everything

def change(draft):
    draft.nb["metadata"]["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": {"a": {}}, "version_major": 2}}
