# what: an answer's cell installs packages first
# gets: everything
# says: only work in Colab

def change(draft):
    draft.solutions[0]["source"] = "!pip install -q torch \\\n    matplotlib\n%pip install seaborn\n" + draft.solutions[0]["source"]
