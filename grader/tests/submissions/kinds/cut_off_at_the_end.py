# what: the last brackets of the file are missing
# gets: everything
# says: cut off
# look: yes

import json


def change(draft):
    return json.dumps({key: draft.nb[key] for key in ("metadata", "nbformat", "nbformat_minor", "cells")}).encode()[:-3]
