# attack: a kernelspec, language and magics that hand the tests to another program
# points: none
# must not: choose what runs its tests

# %% row_stats
%load_ext autoreload
get_ipython().register_magic_function(lambda line, cell=None: None, "cell", "python")

# %% change
def change(nb, folder):
    nb.metadata["kernelspec"] = {"name": "python3", "display_name": "x", "language": "python", "argv": ["true"]}
    nb.metadata["language_info"] = {"name": "bash", "file_extension": ".sh"}
    for cell in nb.cells:
        if cell.metadata.get("nbgrader", {}).get("grade"):
            cell["source"] = "%%script true\n" + cell["source"]
