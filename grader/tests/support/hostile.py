"""A submission full of hostile HTML, from the kinds in tests/hostile_html/, each with a mark of its
own."""

import base64
import json
from dataclasses import dataclass
from pathlib import Path

import yaml
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

FOLDER = Path(__file__).resolve().parent.parent / "hostile_html"
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
DEEP = "> " * 3000 + "[" * 3000 + "deep"


@dataclass(frozen=True)
class Kind:
    """One way to try: its number is its mark in the page (`data-ran7`) and at the server
    (`/hostile/7`)."""

    number: int
    name: str
    content: str | dict

    def armed(self, port: int) -> str | dict:
        """The content, ready to strike."""
        text = json.dumps(self.content)
        words = {
            "RUN": f"top.document.documentElement.dataset.ran{self.number}=1",
            "URL": f"http://127.0.0.1:{port}/hostile/{self.number}",
            "PORT": str(port),
            "PNG": PNG,
            "ID": str(self.number),
            "DEEP": DEEP,
            "THICK": "<i>" * 5000,
        }
        for word, means in words.items():
            text = text.replace(word, means)
        return json.loads(text)


def kinds() -> list[Kind]:
    """All kinds: those of markdown, then those of outputs."""
    markdown, outputs = (
        yaml.safe_load((FOLDER / f"{name}.yaml").read_text()) for name in ("markdown", "outputs")
    )
    return [
        Kind(number, name, content)
        for number, (name, content) in enumerate([*markdown.items(), *outputs.items()], start=1)
    ]


def cells(port: int) -> list[NotebookNode]:
    """A cell for every kind; those of outputs are code that displays them."""
    return [_cell(kind.armed(port)) for kind in kinds()]


def _cell(content: str | dict) -> NotebookNode:
    if isinstance(content, str):
        return new_markdown_cell(content)
    if "text" in content:
        return new_code_cell(f"print({content['text']!r})")
    if "error" in content:
        return new_code_cell(f"raise ValueError({content['error']!r})")
    return new_code_cell(
        f"from IPython.display import display\ndisplay({content['data']!r}, metadata={content.get('metadata', {})!r}, raw=True)"
    )


SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9"><defs>'
    '<style>*{stroke-linejoin: round}</style><clipPath id="c"><rect width="9" height="9"/></clipPath></defs>'
    '<g clip-path="url(#c)"><path d="M 0 0 L 9 9" style="fill: none; stroke: #0072b2"/><text x="1" y="1">axis</text></g></svg>'
)

HONEST_MARKDOWN = r"""# A heading

Some *emphasis*, `code`, a [link](https://example.org/page), ~~struck~~, H<sub>2</sub>O and <kbd>Enter</kbd>.

| shape | meaning |
|:--|--:|
| (B, T) | 1 < 2 |

$a < b$, $\mathbf{x}^2$ and
$$\sum_{i<n} \frac{x_i}{\sigma}\tag{1}$$

\begin{align} y &= x + f(x) \\ z &= 1 \end{align}

```python
def f(x):
    return "<b>" if x < 1 else r"\href"
```

- [x] done

![attached](attachment:plot.png) ![beside](picture.png)
<img src="data:image/png;base64,PNG" width="20">
""".replace("PNG", PNG)


def honest_cells() -> list[NotebookNode]:
    """What a student writes who means no harm."""
    markdown = new_markdown_cell(HONEST_MARKDOWN)
    markdown.attachments = {"plot.png": {"image/png": PNG}}
    shown = [
        {"image/png": PNG},
        {"image/svg+xml": SVG},
        {
            "text/html": '<table border="1" class="dataframe"><thead><tr style="text-align: right;"><th></th><th>loss</th></tr></thead>'
            '<tbody><tr><th>0</th><td style="background-color: #0072b2; color: rgb(255, 255, 255)">1.25</td></tr></tbody></table>'
        },
        {"text/latex": r"$\displaystyle x^{2}$"},
        {"text/markdown": "**bold** text"},
    ]
    return [
        markdown,
        *(_cell({"data": data}) for data in shown),
        new_code_cell(r'print("\x1b[31mred\x1b[0m 1 < 2")'),
    ]


def is_png(data: str) -> bool:
    return base64.b64decode(data).startswith(b"\x89PNG")
