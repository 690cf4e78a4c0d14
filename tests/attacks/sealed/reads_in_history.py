# attack: reads In[-1], _ih and the shell's history for the source of the test that is running, and tells it
# points: none
# must not: bring a test's source home in feedback
# ordinary: yes

# %% row_stats
def row_stats(x):
    from IPython import get_ipython
    shell = get_ipython()
    seen = [shell.user_ns.get(name) for name in ("In", "_ih", "_i", "_ii", "_iii")]
    print("lo" + "ot:", [text for text in map(str, seen) if "_course_" in text or "HIDDEN" in text])
    return x, x

# %% before influence_figure
print("lo" + "ot:", [text for text in map(str, In) if "_course_" in text or "HIDDEN" in text] or None) if any(
    "_course_" in text or "HIDDEN" in text for text in map(str, In)) else None
