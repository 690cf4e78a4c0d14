# what: the file holds a git merge conflict
# gets: everything
# says: merge conflict

import json


def change(draft):
    text = json.dumps(draft.nb, indent=1)
    begin, end = text.index(' "nbformat"'), text.rindex("\n}")
    mine = text[begin:end]
    return (text[:begin] + f"<<<<<<< HEAD\n{mine}\n=======\n{mine.replace('4', '3')}\n>>>>>>> theirs\n}}").encode()
