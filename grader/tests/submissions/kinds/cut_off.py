# what: the upload broke off inside the second task's answer: what follows is lost
# gets: first
# says: cut off
# look: yes

import json


def change(draft):
    text = json.dumps(draft.nb)
    answer = json.dumps(draft.solutions[1]["source"])[1:-1]
    return text[:text.index(answer) + len(answer) // 2].encode()
