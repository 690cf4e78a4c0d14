# attack: answers of exabytes by expanded strides, of gigabytes, and lists of millions
# points: none
# must not: have the grader allocate what an answer claims to be
# ordinary: yes

# %% row_stats
row_stats = lambda x: (torch.zeros(1).expand(1 << 40), torch.zeros(1).expand(1 << 20, 1 << 20, 1 << 20))

# %% standardise
standardise = lambda x, eps=1e-5: torch.zeros(1 << 29)

# %% layer_norm_backward
layer_norm_backward = lambda *args: [0] * 50_000_000

# %% influence
influence = lambda norm, x: {str(i): [[0.5] * 90_000] * 90_000 for i in range(90_000)}

# %% batch_norm_tokens
batch_norm_tokens = lambda block, norm: torch.empty(0, 1 << 62)
