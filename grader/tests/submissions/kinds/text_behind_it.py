# what: text stands behind the notebook
# gets: everything
# says: not valid JSON

import json


def change(draft):
    return json.dumps(draft.nb).encode() + b"\n}\n(end of file)"
