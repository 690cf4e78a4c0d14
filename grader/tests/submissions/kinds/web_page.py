# what: a web page under the notebook's name
# gets: nothing
# says: it is a web page
# look: yes

def change(draft):
    return b"<!DOCTYPE html><html><body><pre>def f(): pass</pre></body></html>"
