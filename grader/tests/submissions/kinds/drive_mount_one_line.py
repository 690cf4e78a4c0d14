# what: Google Drive is mounted in one line at the top of an answer's cell
# gets: everything
# says: only work in Colab

def change(draft):
    draft.solutions[0]["source"] = "from google.colab import drive; drive.mount('/content/drive')\nimport os\nos.chdir('/content/drive/MyDrive')\n" + draft.solutions[0]["source"]
