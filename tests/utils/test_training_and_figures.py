"""Seeding, the device, the training loop and the figures that notebooks share."""

import subprocess
import sys

import matplotlib
import pytest
import torch
from torch import nn

import utils
from utils import (
    Tower,
    band,
    configure_device,
    draw_map,
    each_loss,
    heatmap,
    label_line_ends,
    minibatches,
    plot_losses,
    set_seed,
    show,
    spread_out,
    train,
    use_course_style,
)

matplotlib.use("agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def close_figures():
    use_course_style()
    yield
    plt.close("all")


def test_a_seed_makes_random_numbers_repeat():
    set_seed(3)
    a = torch.rand(3)
    set_seed(3)
    assert torch.equal(a, torch.rand(3))


def test_the_device_is_named(capsys, monkeypatch):
    device = configure_device()
    assert device.type in capsys.readouterr().out.lower() or device.type == "mps"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert configure_device(verbose=False).type == "mps"


def test_training_lowers_the_loss_and_follows_the_schedule():
    set_seed(0)
    x = torch.randn(256, 4)
    y = (x[:, 0] > 0).long()
    model, rates = nn.Linear(4, 2), []
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)

    def schedule(step):
        rates.append(optimizer.param_groups[0]["lr"])
        return 1 - step / 100

    losses = train(
        model.eval(), minibatches(x, y, batch_size=32, steps=100), optimizer, schedule=schedule
    )
    assert losses.shape == (100,) and losses[-10:].mean() < 0.5 * losses[0] and model.training
    assert rates[0] == 0.5 and rates[50] == pytest.approx(0.5 * (1 - 49 / 100))


def test_progress_goes_to_stdout_only():
    code = "import utils, time\n[time.sleep(0.02) for _ in utils.progress(range(200), 'work')]"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=utils.COURSE_FOLDER
    )
    assert done.returncode == 0 and done.stderr == "" and "work" in done.stdout


def test_labels_at_line_ends_do_not_overlap():
    figure, ax = plt.subplots()
    for i in range(6):
        ax.plot([0, 1], [0, 1 + 0.001 * i], label=f"line {i}")
    label_line_ends(ax, gap=0.06)
    heights = sorted(text.xyann[1] for text in ax.texts)
    assert len(heights) == 6 and min(b - a for a, b in zip(heights, heights[1:])) >= 0.0599
    assert max(heights) <= 0.991


def test_a_label_that_was_moved_keeps_a_line_to_its_curve_and_no_tick_leaves_the_data():
    figure, ax = plt.subplots()
    ax.plot([0, 200], [0, 1.0], label="a")
    ax.plot([0, 200], [0, 0.99], label="b")
    ax.plot([0, 200], [0, 0.0], label="alone")
    ax.set_xlim(0, 200)
    label_line_ends(ax)
    joined = {text.get_text() for text in ax.texts if text.arrow_patch is not None}
    assert joined & {"a", "b"} and "alone" not in joined
    assert max(ax.get_xticks()) <= 200 < ax.get_xlim()[1]


def test_a_shown_figure_carries_its_alt_text_and_is_closed(monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda *what, **how: shown.append((what, how)))
    figure, _ = plt.subplots()
    show(figure, alt="A line that falls.")
    assert shown == [((figure,), {"metadata": {"image/png": {"alt": "A line that falls."}}})]
    assert not plt.fignum_exists(figure.number)


def test_batches_do_not_depend_on_the_default_device():
    x = torch.arange(10)
    expected = [batch.tolist() for (batch,) in minibatches(x, batch_size=4, steps=5)]
    names = utils.NamesDataset(["ada", "bo"], 2).contexts
    torch.set_default_device("meta")
    try:
        got = [batch.tolist() for (batch,) in minibatches(x, batch_size=4, steps=5)]
        again = utils.NamesDataset(["ada", "bo"], 2).contexts
    finally:
        torch.set_default_device(None)
    assert got == expected and torch.equal(names, again)


def test_bands_heatmaps_and_losses_draw():
    figure, ax = plt.subplots()
    line = band(ax, range(5), torch.rand(3, 5), "runs", color="red")
    assert line.get_color() == utils.PALETTE["red"] and len(ax.collections) == 1
    heatmap(ax, torch.tensor([[1.0, -2.0]]), digits=1)
    assert [text.get_text() for text in ax.texts] == ["1.0", "-2.0"]
    ax = plot_losses(
        {"a": torch.rand(3, 50), "b": torch.rand(50)}, "title", baselines={"chance": 0.5}
    )
    assert {text.get_text() for text in ax.texts} >= {"a", "b", "chance"}
    figure.canvas.draw()


class OnAccelerator(torch.Tensor):
    """A tensor that behaves as one on a GPU where matplotlib meets it: NumPy cannot have it before
    `.cpu()`."""

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        result = super().__torch_function__(function, types, args, kwargs or {})
        return result.as_subclass(torch.Tensor) if function is torch.Tensor.cpu else result

    def numpy(self, *_, **__):
        raise TypeError("can't convert cuda:0 device type tensor to numpy")

    __array__ = numpy


def test_the_stand_in_refuses_what_a_tensor_on_a_gpu_refuses():
    there = torch.rand(3, 5).as_subclass(OnAccelerator)
    assert isinstance(there.mean(0), OnAccelerator) and isinstance(there[0] * 2, OnAccelerator)
    with pytest.raises(TypeError, match="cuda"):
        plt.subplots()[1].plot(there[0])
    plt.subplots()[1].plot(there[0].cpu())


@pytest.mark.parametrize(
    "draw",
    [
        lambda ax, there: band(ax, range(5), there, "runs"),
        lambda ax, there: heatmap(ax, there),
        lambda ax, there: plot_losses({"two": there, "one": there[0]}, "title", window=2, ax=ax),
        lambda ax, there: draw_map(ax, there, range(3), range(5), limits=(0, 1)),
        lambda ax, there: ax.scatter(*spread_out(there[:, :2], gap=0.1).T),
    ],
    ids=["band", "heatmap", "plot_losses", "draw_map", "spread_out"],
)
def test_figures_take_tensors_from_any_device(draw):
    figure, ax = plt.subplots()
    draw(ax, torch.rand(3, 5).requires_grad_().as_subclass(OnAccelerator))
    figure.canvas.draw()
    assert ax.lines or ax.images or ax.collections


@pytest.mark.parametrize("norm", [None, "batch", "layer"])
def test_towers_side_by_side_are_the_towers_alone(norm):
    weights, x, targets = torch.randn(3, 2, 4, 4), torch.randn(6, 4), torch.arange(6) % 4
    both = Tower(weights, skip=True, scale=0.5, norm=norm)
    losses = each_loss(both(x), targets)
    gradients = torch.autograd.grad(losses.sum(), both.weights)[0]
    for i in range(2):
        alone = Tower(weights[:, i : i + 1], skip=True, scale=0.5, norm=norm)
        loss = torch.nn.functional.cross_entropy(alone(x)[0], targets)
        assert torch.allclose(loss, losses[i], atol=1e-6)
        gradient = torch.autograd.grad(loss, alone.weights)[0]
        assert torch.allclose(gradient, gradients[:, i : i + 1], atol=1e-5)


@pytest.mark.parametrize("norm", [None, "batch", "layer"])
def test_a_tower_runs_on_another_device(norm):
    tower = Tower(torch.randn(3, 2, 4, 4), skip=True, norm=norm).to("meta")
    keep = []
    loss = each_loss(
        tower(torch.empty(6, 4, device="meta"), keep), torch.zeros(6).long().to("meta")
    )
    loss.sum().backward()
    assert len(keep) == 4 and all(p.grad.is_meta for p in tower.parameters() if p.requires_grad)
