# what: someone edited the JSON by hand and left a comma
# gets: everything
# says: cut off
# look: yes

import json


def change(draft):
    return json.dumps(draft.nb).replace('"cells": [', '"cells": [,').encode()
