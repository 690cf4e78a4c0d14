# what: a PDF under the notebook's name
# gets: nothing
# says: it is a PDF
# look: yes

def change(draft):
    return b"%PDF-1.7\n%\xe2\xe3\xcf\xd3 ..."
