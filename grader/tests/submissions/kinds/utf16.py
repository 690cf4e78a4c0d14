# what: the file was saved as UTF-16
# gets: everything
# says: byte order mark

import json


def change(draft):
    return json.dumps(draft.nb).encode("utf-16")
