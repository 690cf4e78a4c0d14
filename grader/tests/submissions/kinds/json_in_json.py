# what: the notebook was stored as one JSON text
# gets: everything
# says: stored as a text

import json


def change(draft):
    return json.dumps(json.dumps(draft.nb)).encode()
