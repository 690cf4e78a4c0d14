# what: bytes that mean nothing
# gets: nothing
# says: not even text
# look: yes

import random


def change(draft):
    return random.Random(1).randbytes(2000)
