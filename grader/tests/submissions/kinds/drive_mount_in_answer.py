# what: Google Drive is mounted at the top of an answer's cell
# gets: everything
# says: only work in Colab

def change(draft):
    draft.solutions[0]["source"] = "from google.colab import drive\ndrive.mount('/content/drive')\n" + draft.solutions[0]["source"]
