# attack: the instructor's notebook metadata, checksums and cells as far as a student can know them, claiming to be graded
# points: none
# must not: be taken for the instructor's own notebook

# %% change
def change(nb, folder):
    import hashlib
    for cell in nb.cells:
        if cell.metadata.get("nbgrader"):
            cell.metadata["nbgrader"] |= {"checksum": hashlib.md5(cell["source"].encode()).hexdigest(), "locked": True}
            cell["source"] = cell["source"].replace('raise NotImplementedError("TODO: write your solution here")',
                                                    "### BEGIN SOLUTION\n    pass\n    ### END SOLUTION")
    (folder / "timestamp.txt").write_text("1999-01-01 00:00:00.000000 UTC\n")
