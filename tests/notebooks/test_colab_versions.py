"""A lecture and an exercise with the IPython and the matplotlib that Colab has, older than ours."""

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.course import ROOT

# Colab's pins of August 2026; the last three are what that IPython needs and ours does not.
OLDER = "ipython==7.34.0", "matplotlib==3.10.*", "backcall", "decorator", "pickleshare"


@pytest.fixture(scope="module")
def older(tmp_path_factory) -> Path:
    """A folder with the older packages, for PYTHONPATH."""
    folder = tmp_path_factory.mktemp("older")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder)]
    try:
        got = subprocess.run([*pip, *OLDER], capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        pytest.skip(f"no package index brings {', '.join(OLDER)} in five minutes")
    if got.returncode:
        pytest.skip(f"no package index has {', '.join(OLDER)}: {got.stderr.strip()[-300:]}")
    return folder


@pytest.mark.parametrize(
    "place", ["lectures/02_layer_norm.ipynb", "solutions/02_layer_norm/layer_norm.ipynb"]
)
def test_it_runs_without_a_warning(place, older, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(older))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    versions = nbformat.v4.new_code_cell(
        "import IPython, matplotlib\nprint(IPython.__version__, matplotlib.__version__)"
    )
    notebook = nbformat.read(ROOT / place, as_version=4)
    notebook.cells.insert(0, versions)
    folder = (ROOT / place).parent
    NotebookClient(
        notebook,
        timeout=300,
        skip_cells_with_tag="",  # the figures that grading skips are run, too
        resources={"metadata": {"path": str(folder)}},
    ).execute()
    assert versions.outputs[0].text.startswith("7.34.0 3.10.")
    said = [
        output.text
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output.get("name") == "stderr"
    ]
    assert said == []
    pictures = [
        output
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
    assert pictures, "figures are drawn inline"
