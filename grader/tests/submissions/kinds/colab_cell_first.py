# what: an own first cell imports google.colab and uploads files
# gets: everything
# says: only work in Colab

from submissions.catalogue import code


def change(draft):
    draft.cells.insert(0, code("import google.colab\nfrom google.colab import files\nuploaded = files.upload()"))
