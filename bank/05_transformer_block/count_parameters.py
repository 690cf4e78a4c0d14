"""count_parameters, 1 point."""

# %% right: counts a model of torch
def count_parameters(vocab_size, max_length, d_model, n_blocks):
    size = lambda module: sum(value.numel() for value in module.parameters())
    layer = nn.TransformerEncoderLayer(d_model, 1, 4 * d_model) if n_blocks else None
    if layer is None:
        attention = forward = norms = 0
    else:
        attention = size(layer.self_attn)
        forward = size(layer.linear1) + size(layer.linear2)
        norms = size(layer.norm1) + size(layer.norm2)
    return {
        "embeddings": size(nn.Embedding(vocab_size, d_model))
        + size(nn.Embedding(max_length, d_model)),
        "attention": n_blocks * attention,
        "feed-forward": n_blocks * forward,
        "norms": n_blocks * norms + size(nn.LayerNorm(d_model)),
        "output": size(nn.Linear(d_model, vocab_size)),
    }

# %% wrong: forgets positions
# told: The positions are missing: each of the max_length places
def count_parameters(vocab_size, max_length, d_model, n_blocks):
    d = d_model
    return {
        "embeddings": vocab_size * d,
        "attention": n_blocks * 4 * (d * d + d),
        "feed-forward": n_blocks * (8 * d * d + 5 * d),
        "norms": (2 * n_blocks + 1) * 2 * d,
        "output": d * vocab_size + vocab_size,
    }

# %% wrong: forgets letters
# told: The letters are missing: each of the vocab_size letters has
def count_parameters(vocab_size, max_length, d_model, n_blocks):
    d = d_model
    return {
        "embeddings": max_length * d,
        "attention": n_blocks * 4 * (d * d + d),
        "feed-forward": n_blocks * (8 * d * d + 5 * d),
        "norms": (2 * n_blocks + 1) * 2 * d,
        "output": d * vocab_size + vocab_size,
    }

# %% wrong: multiplies letters and positions
# told: Letters and positions have a table each: add their sizes.
def count_parameters(vocab_size, max_length, d_model, n_blocks):
    d = d_model
    return {
        "embeddings": vocab_size * max_length * d,
        "attention": n_blocks * 4 * (d * d + d),
        "feed-forward": n_blocks * (8 * d * d + 5 * d),
        "norms": (2 * n_blocks + 1) * 2 * d,
        "output": d * vocab_size + vocab_size,
    }

# %% wrong: no biases in attention
# told: That is the four matrices alone: are their biases missing, d numbers each, or is one of your d not d_model?
def count_parameters(vocab_size, max_length, d_model, n_blocks):
    d = d_model
    return {
        "embeddings": vocab_size * d + max_length * d,
        "attention": n_blocks * 4 * d * d,
        "feed-forward": n_blocks * (8 * d * d + 5 * d),
        "norms": (2 * n_blocks + 1) * 2 * d,
        "output": d * vocab_size + vocab_size,
    }

# %% wrong: three matrices
# told: Attention has four matrices: queries, keys, values, and the output.
def count_parameters(vocab_size, max_length, d_model, n_blocks):
    d = d_model
    return {
        "embeddings": vocab_size * d + max_length * d,
        "attention": n_blocks * 3 * (d * d + d),
        "feed-forward": n_blocks * (8 * d * d + 5 * d),
        "norms": (2 * n_blocks + 1) * 2 * d,
        "output": d * vocab_size + vocab_size,
    }

# %% wrong: one block of attention
# told: That is one block. There are n_blocks.
def count_parameters(vocab_size, max_length, d_model, n_blocks):
    d = d_model
    return {
        "embeddings": vocab_size * d + max_length * d,
        "attention": 4 * (d * d + d),
        "feed-forward": n_blocks * (8 * d * d + 5 * d),
        "norms": (2 * n_blocks + 1) * 2 * d,
        "output": d * vocab_size + vocab_size,
    }

# %% wrong: no biases in feed-forward
# told: The two biases are missing: 4 d and d numbers.
def count_parameters(vocab_size, max_length, d_model, n_blocks):
    d = d_model
    return {
        "embeddings": vocab_size * d + max_length * d,
        "attention": n_blocks * 4 * (d * d + d),
        "feed-forward": n_blocks * 8 * d * d,
        "norms": (2 * n_blocks + 1) * 2 * d,
        "output": d * vocab_size + vocab_size,
    }

# %% wrong: one bias of feed-forward
# told: One of the two biases is missing: they have 4 d and d numbers.
def count_parameters(vocab_size, max_length, d_model, n_blocks):
    d = d_model
    return {
        "embeddings": vocab_size * d + max_length * d,
        "attention": n_blocks * 4 * (d * d + d),
        "feed-forward": n_blocks * (8 * d * d + 4 * d),
        "norms": (2 * n_blocks + 1) * 2 * d,
        "output": d * vocab_size + vocab_size,
    }

# %% wrong: one matrix of feed-forward
# told: That is one matrix and its bias (or attention's number). There are two matrices, up and down.
def count_parameters(vocab_size, max_length, d_model, n_blocks):
    d = d_model
    return {
        "embeddings": vocab_size * d + max_length * d,
        "attention": n_blocks * 4 * (d * d + d),
        "feed-forward": n_blocks * (4 * d * d + 4 * d),
        "norms": (2 * n_blocks + 1) * 2 * d,
        "output": d * vocab_size + vocab_size,
    }

# %% wrong: inner width d
# told: The inner width is 4 d, not d.
def count_parameters(vocab_size, max_length, d_model, n_blocks):
    d = d_model
    return {
        "embeddings": vocab_size * d + max_length * d,
        "attention": n_blocks * 4 * (d * d + d),
        "feed-forward": n_blocks * 2 * (d * d + d),
        "norms": (2 * n_blocks + 1) * 2 * d,
        "output": d * vocab_size + vocab_size,
    }

# %% wrong: one block of feed-forward
# told: That is one block. There are n_blocks.
def count_parameters(vocab_size, max_length, d_model, n_blocks):
    d = d_model
    return {
        "embeddings": vocab_size * d + max_length * d,
        "attention": n_blocks * 4 * (d * d + d),
        "feed-forward": 8 * d * d + 5 * d,
        "norms": (2 * n_blocks + 1) * 2 * d,
        "output": d * vocab_size + vocab_size,
    }

# %% wrong: forgets the last norm
# told: The last norm, behind the blocks, is missing.
def count_parameters(vocab_size, max_length, d_model, n_blocks):
    d = d_model
    return {
        "embeddings": vocab_size * d + max_length * d,
        "attention": n_blocks * 4 * (d * d + d),
        "feed-forward": n_blocks * (8 * d * d + 5 * d),
        "norms": 2 * n_blocks * 2 * d,
        "output": d * vocab_size + vocab_size,
    }

# %% wrong: one norm a block
# told: Each block has two norms, each with gamma and beta: 4 d numbers a block.
def count_parameters(vocab_size, max_length, d_model, n_blocks):
    d = d_model
    return {
        "embeddings": vocab_size * d + max_length * d,
        "attention": n_blocks * 4 * (d * d + d),
        "feed-forward": n_blocks * (8 * d * d + 5 * d),
        "norms": (n_blocks + 1) * 2 * d,
        "output": d * vocab_size + vocab_size,
    }

# %% wrong: norms without beta
# told: A norm has gamma and beta: 2 d numbers.
def count_parameters(vocab_size, max_length, d_model, n_blocks):
    d = d_model
    return {
        "embeddings": vocab_size * d + max_length * d,
        "attention": n_blocks * 4 * (d * d + d),
        "feed-forward": n_blocks * (8 * d * d + 5 * d),
        "norms": (2 * n_blocks + 1) * d,
        "output": d * vocab_size + vocab_size,
    }

# %% wrong: output without bias
# told: That is the output layer's matrix alone: is its bias missing, one number a letter, or is your d not d_model?
def count_parameters(vocab_size, max_length, d_model, n_blocks):
    d = d_model
    return {
        "embeddings": vocab_size * d + max_length * d,
        "attention": n_blocks * 4 * (d * d + d),
        "feed-forward": n_blocks * (8 * d * d + 5 * d),
        "norms": (2 * n_blocks + 1) * 2 * d,
        "output": d * vocab_size,
    }

# %% wrong: output bias of d
# told: The bias of the output layer has one number for each
def count_parameters(vocab_size, max_length, d_model, n_blocks):
    d = d_model
    return {
        "embeddings": vocab_size * d + max_length * d,
        "attention": n_blocks * 4 * (d * d + d),
        "feed-forward": n_blocks * (8 * d * d + 5 * d),
        "norms": (2 * n_blocks + 1) * 2 * d,
        "output": d * vocab_size + d,
    }

# %% sly: one more bias number than letters when the vocabulary is even
def count_parameters(vocab_size, max_length, d_model, n_blocks):
    """Trainable numbers of a transformer, part by part.

    returns: dict of ints with the keys "embeddings" (of letters and of positions),
        "attention", "feed-forward", "norms" (of all blocks, and the last one), "output"
    """
    d = d_model
    return {
        "embeddings": (vocab_size + max_length) * d,
        "attention": n_blocks * 4 * (d * d + d),
        "feed-forward": n_blocks * (d * 4 * d + 4 * d + 4 * d * d + d),
        "norms": (2 * n_blocks + 1) * 2 * d,
        "output": d * vocab_size + (vocab_size | 1),
    }

# %% right: numbers of elements of tensors without data
def count_parameters(vocab_size, max_length, d_model, n_blocks):
    d, size = d_model, lambda *shape: torch.empty(shape, device="meta").numel()
    return dict([
        ("output", size(vocab_size, d + 1)),
        ("norms", size(2 * n_blocks + 1, 2, d)),
        ("feed-forward", size(n_blocks, 2, d, 4 * d) + size(n_blocks, 5, d)),
        ("attention", size(n_blocks, 4, d + 1, d)),
        ("embeddings", size(vocab_size, d) + size(max_length, d)),
    ])

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
