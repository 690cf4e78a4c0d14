# attack: reads its caller's source from the frames, keeps it in shared memory, and displays it in later cells
# points: none
# must not: bring a test's source home in feedback
# ordinary: yes

# %% row_stats
import mmap, sys
shared = mmap.mmap(-1, 1 << 20)

def row_stats(x):
    frame = sys._getframe(1)
    while frame is not None:
        for value in list(frame.f_locals.values()):
            if isinstance(value, str) and "_course_expect" in value or isinstance(value, dict) and "key" in value and "source" in value:
                shared.seek(0)
                shared.write(repr(value).encode()[:1 << 19])
        frame = frame.f_back
    return x, x

# %% layer_norm
text = shared[:1 << 19].strip(b"\0").decode()
if text:
    print("lo" + "ot:", text)
    from IPython.display import HTML, display
    display(HTML("<b>lo" + f"ot: {text}</b>"))
    raise ValueError("lo" + f"ot: {text}")
