# attack: sys.settrace and sys.setprofile rewrite the locals of the test child and skip the lines that send answers
# points: none
# must not: gain a point by jumping over a check

# %% row_stats
import sys, threading
def trace(frame, event, argument):
    if frame.f_code.co_filename == "<test>":
        frame.f_trace_lines = True
        try:
            if event == "line" and frame.f_lineno < 1000:
                frame.f_lineno = max(line for _, _, line in frame.f_code.co_lines() if line)
        except ValueError:
            pass
    return trace
sys.settrace(trace)
threading.settrace(trace)
sys.setprofile(lambda frame, event, argument: None)
row_stats = lambda x: (x, x)
frame = sys._getframe()
while frame is not None:
    frame.f_trace = trace
    frame = frame.f_back
