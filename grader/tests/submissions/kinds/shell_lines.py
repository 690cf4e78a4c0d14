# what: own cells download, list files and time things
# gets: everything
# says: only work in Colab

from submissions.catalogue import code


def change(draft):
    draft.insert_before(draft.solutions[0], code("!wget -q https://example.org/data.zip\n!git clone https://example.org/x\n%cd /content/x\n!ls"))
