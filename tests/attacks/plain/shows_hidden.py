# attack: shows the hidden plain asserts that it has just run: in later outputs, in an error, and in an earlier display
# points: none
# must not: bring a hidden test home in feedback

# %% before double
from IPython.display import HTML, display
handle = display(HTML("nothing yet"), display_id="early")

# %% square
told = [text for text in In if "assert double" + "(4" in text]
print("lo" + f"ot: {told}")
handle.update(HTML("lo" + f"ot: {told}"))
raise ValueError("lo" + f"ot: {told}")
