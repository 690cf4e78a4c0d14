# what: the file begins with a byte order mark
# gets: everything
# says: byte order mark

import json


def change(draft):
    return b"\xef\xbb\xbf" + json.dumps(draft.nb).encode()
