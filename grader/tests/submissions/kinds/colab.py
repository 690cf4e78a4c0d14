# what: downloaded from Colab: format 4.0, its own ids and metadata, a badge as first cell
# gets: everything

def change(draft):
    draft.nb["nbformat_minor"] = 0
    draft.nb["metadata"] |= {"colab": {"provenance": [], "include_colab_link": True}, "accelerator": "GPU"}
    for number, cell in enumerate(draft.cells):
        cell["metadata"] |= {"id": cell.pop("id"), "outputId": f"{number:08x}-0000", "colab": {"base_uri": "https://localhost:8080/"}}
    badge = '<a href="https://colab.research.google.com/github/a/b"><img src="https://colab.research.google.com/assets/colab-badge.svg"/></a>'
    draft.cells.insert(0, {"cell_type": "markdown", "metadata": {"id": "view-in-github", "colab_type": "text"}, "source": [badge]})
