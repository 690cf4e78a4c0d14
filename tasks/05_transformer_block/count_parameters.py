"""count_parameters, 1 point: where the parameters are."""
task = Task("count_parameters")
f = task.function()
for part in ("embeddings", "attention", "feed-forward", "norms", "output"):
    f.look(f"{part}: 6 letters, 11 positions, width 4, three blocks", 6, 11, 4, 3, of=lambda counts, part=part: counts[part])
f.look("the five keys", vocab_size=6, max_length=11, d_model=4, n_blocks=3, of=sorted)
f.case("another transformer", lambda: [2 + int(sample_ids(90, 1, seed=110 + i)) for i in range(4)], of=dict)
f.case("with one block", lambda: [2 + int(sample_ids(90, 1, seed=114 + i)) for i in range(3)] + [1], of=dict)

# %% mistakes
E, A, N = "(vocab_size + max_length) * d", "n_blocks * 4 * (d * d + d)", "(2 * n_blocks + 1) * 2 * d"
F, O = "n_blocks * (8 * d * d + 5 * d)", "d * vocab_size + vocab_size"
mistake("The positions are missing: each of the max_length places has a vector too.", {E: "vocab_size * d"})
mistake("The letters are missing: each of the vocab_size letters has a vector too.", {E: "max_length * d"})
mistake("Letters and positions have a table each: add their sizes. There is no vector for each pair.", {E: "vocab_size * max_length * d"})
mistake("Every letter and every place has a vector of d_model numbers: multiply.", {E: "vocab_size + max_length"})
mistake("That is the letters twice, and no positions.", {E: "2 * vocab_size * d"})
mistake("That is the positions twice, and no letters.", {E: "2 * max_length * d"})
mistake("That is attention's four matrices alone: are their biases missing, d numbers each, or is one of your d not d_model?", {A: "n_blocks * 4 * "
        "d * d"})
four = "That is the four biases alone, or one matrix a block. There are four matrices, d by d numbers each, and four biases."
mistake(four, {A: "n_blocks * 4 * d"})
mistake(four, {A: "n_blocks * d * d"})
mistake("Attention has four matrices: queries, keys, values, and the output.", {A: "n_blocks * 3 * (d * d + d)"})
mistake("That is one block. There are n_blocks.", {A: "4 * (d * d + d)"})
mistake("That is one block. There are n_blocks.", {F: "8 * d * d + 5 * d"})
mistake("That is one block. There are n_blocks.", {A: "4 * (d * d + d)", F: "8 * d * d + 5 * d", N: "6 * d"})
mistake("The two biases of the feed-forward network are missing: 4 d and d numbers.", {F: "n_blocks * 8 * d * d"})
mistake("One of the two biases of the feed-forward network is missing: they have 4 d and d numbers.", {F: "n_blocks * (8 * d * d + 4 * d)"})
mistake("One of the two biases of the feed-forward network is missing: they have 4 d and d numbers.", {F: "n_blocks * (8 * d * d + d)"})
mistake("That is one matrix and its bias (or attention's number). There are two matrices, up and down.", {F: "n_blocks * (4 * d * d + 4 * d)"})
alone = "That is the two biases alone, or one layer from d to d. There are two matrices, d by 4 d numbers each."
mistake(alone, {F: "n_blocks * 5 * d"})
mistake(alone, {F: "n_blocks * (d * d + d)"})
mistake("The inner width is 4 d, not d.", {F: "n_blocks * 2 * (d * d + d)"})
mistake("The last norm, behind the blocks, is missing.", {N: "2 * n_blocks * 2 * d"})
mistake("Each block has two norms, each with gamma and beta: 4 d numbers a block.", {N: "(n_blocks + 1) * 2 * d"})
mistake("A norm has gamma and beta: 2 d numbers.", {N: "(2 * n_blocks + 1) * d"})
mistake("That is the output layer's matrix alone: is its bias missing, one number a letter, or is your d not d_model?", {O: "d * vocab_size"})
mistake("The bias of the output layer has one number for each letter, not for each feature.", {O: "d * vocab_size + d"})
mistake("The output layer's matrix is missing: d numbers a letter.", {O: "vocab_size"})
mistake("These are not the five keys of the docstring.", {'"feed-forward"': '"feed_forward"'})

# %% right: ARENA
def count_parameters(
    vocab_size: int, max_length: int, d_model: int, n_blocks: int
) -> dict[str, int]:
    d_mlp = 4 * d_model
    return {
        "embeddings": vocab_size * d_model + max_length * d_model,
        "attention": n_blocks * (4 * d_model * d_model + 4 * d_model),
        "feed-forward": n_blocks * (2 * d_model * d_mlp + d_mlp + d_model),
        "norms": (2 * n_blocks + 1) * 2 * d_model,
        "output": d_model * vocab_size + vocab_size,
    }

# %% right: CS231n
def count_parameters(vocab_size, max_length, d_model, n_blocks):
    V, M, D, L = vocab_size, max_length, d_model, n_blocks
    counts = {}
    counts["embeddings"] = V * D + M * D
    counts["attention"] = 4 * L * (D * D + D)
    counts["feed-forward"] = L * ((D * 4 * D + 4 * D) + (4 * D * D + D))
    counts["norms"] = L * 2 * (D + D) + (D + D)
    counts["output"] = D * V + V
    return counts

# %% right: makemore
def count_parameters(vocab_size, max_length, d_model, n_blocks):
    C = d_model
    return dict([
        ("embeddings", vocab_size * C + max_length * C),
        ("attention", n_blocks * (3 * C * C + 3 * C + C * C + C)),
        ("feed-forward", n_blocks * (C * 4 * C + 4 * C + 4 * C * C + C)),
        ("norms", n_blocks * 4 * C + 2 * C),
        ("output", C * vocab_size + vocab_size),
    ])

# %% right: torch source
def count_parameters(vocab_size, max_length, d_model, n_blocks):
    def numel(*modules):
        return sum(p.numel() for module in modules for p in module.parameters())

    layer = nn.TransformerEncoderLayer(d_model, 1, 4 * d_model)
    norm = nn.LayerNorm(d_model)
    return {
        "embeddings": numel(
            nn.Embedding(vocab_size, d_model), nn.Embedding(max_length, d_model)
        ),
        "attention": n_blocks * numel(layer.self_attn),
        "feed-forward": n_blocks * numel(layer.linear1, layer.linear2),
        "norms": n_blocks * numel(layer.norm1, layer.norm2) + numel(norm),
        "output": numel(nn.Linear(d_model, vocab_size)),
    }

# %% right: numpy first
import numpy as np


def count_parameters(vocab_size, max_length, d_model, n_blocks):
    d = d_model
    tables = np.array([[vocab_size, d], [max_length, d]]).prod(axis=1)
    square, inner = d * d + d, d * 4 * d + 4 * d + 4 * d * d + d
    return {
        "embeddings": int(tables.sum()),
        "attention": n_blocks * 4 * square,
        "feed-forward": n_blocks * inner,
        "norms": n_blocks * 4 * d + 2 * d,
        "output": (d + 1) * vocab_size,
    }

# %% right: plain loops
def count_parameters(vocab_size, max_length, d_model, n_blocks):
    result = {"embeddings": 0, "attention": 0, "feed-forward": 0, "norms": 0, "output": 0}
    for i in range(vocab_size):
        result["embeddings"] += d_model
    for i in range(max_length):
        result["embeddings"] += d_model
    for block in range(n_blocks):
        for matrix in ["q", "k", "v", "out"]:
            result["attention"] += d_model * d_model + d_model
        result["feed-forward"] += d_model * 4 * d_model + 4 * d_model
        result["feed-forward"] += 4 * d_model * d_model + d_model
        result["norms"] += 2 * d_model
        result["norms"] += 2 * d_model
    result["norms"] += 2 * d_model
    result["output"] = d_model * vocab_size + vocab_size
    return result

# %% right: math.prod, halves that are divided whole
def count_parameters(vocab_size, max_length, d_model, n_blocks):
    d = d_model
    return {
        "embeddings": sum(math.prod((n, d)) for n in (vocab_size, max_length)),
        "attention": int(n_blocks * 4.0 * (d**2 + d)),
        "feed-forward": n_blocks * 2 * (8 * d**2 + 5 * d) // 2,
        "norms": round((n_blocks + 0.5) * 4 * d),
        "output": (d + 1) * vocab_size,
    }
