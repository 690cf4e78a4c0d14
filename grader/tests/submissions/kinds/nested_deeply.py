# what: a hundred thousand brackets
# gets: nothing
# says: nested too deeply
# look: yes

def change(draft):
    return b"[" * 100_000
