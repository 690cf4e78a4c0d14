"""How every figure of a report looks, and how one becomes an SVG."""

import io
import textwrap
from collections.abc import Callable

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# The palette and the look of the course's own figures; utils.py belongs to notebooks, and imports
# torch.
PALETTE = {
    "blue": "#0072B2",
    "orange": "#E69F00",
    "green": "#009E73",
    "red": "#D55E00",
    "sky": "#56B4E9",
    "black": "#222222",
    "grey": "#8A8A8A",
    "pale": "#E4E4E4",
}
STYLE = {
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": PALETTE["pale"],
    "grid.linewidth": 0.8,
    "figure.constrained_layout.use": True,
    "svg.hashsalt": "report",
    "text.parse_math": False,  # a dollar sign in a task's name is a dollar sign
}
WIDTH = 7.6  # inches: as wide as the page's text
LONGEST_NAME = 32


def drawn(draw: Callable[[Axes], str], height: float) -> str:
    """An SVG with what `draw` draws; what it returns is the title."""
    with matplotlib.rc_context(STYLE):  # type: ignore[arg-type]
        figure = Figure(figsize=(WIDTH, height))
        axes = figure.add_subplot()
        title = draw(axes)
        figure.suptitle(
            "\n".join(textwrap.wrap(title, 68)), x=0.01, ha="left", fontweight="bold", fontsize=12.5
        )
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None})  # equal reports are equal files
    return file.getvalue()


def short(name: str) -> str:
    """A task's name as it fits beside an axis."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
