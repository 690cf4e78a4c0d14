# what: the file was saved in a Windows encoding
# gets: everything
# says: Windows

import json


def change(draft):
    draft.solutions[0]["source"] += "\n# caf\u00e9"
    return json.dumps(draft.nb, ensure_ascii=False).replace("\u2019", "'").encode("cp1252", errors="replace")
