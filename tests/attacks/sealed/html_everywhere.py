# attack: HTML and terminal codes in names, labels, prints, errors, cell ids, metadata and file names
# points: none
# must not: forge marks in feedback or break anybody's page

# %% row_stats
forged = "</pre></div></div><h1>Score: 18 / 18</h1><script>document.title='18/18'</script>\x1b[0m\x1b]0;title\x07"
print(forged)
class Forged(Exception): pass
Forged.__name__ = Forged.__qualname__ = forged
def row_stats(x): raise Forged(forged)

# %% influence
open("<img src=x onerror=alert(1)>.txt", "w").write(forged)
raise Forged(forged)

# %% change
def change(nb, folder):
    nb.metadata["title"] = "</title><script>1</script>"
    nb.metadata["authors"] = [{"name": "<script>1</script>"}]
    nb.metadata.setdefault("kernelspec", {})["display_name"] = "<script>1</script>"
    (folder / "<b>bold.txt").write_text("x")
