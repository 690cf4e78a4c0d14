# attack: sparse, quantized, meta, complex, boolean, half, nested and zero-sized tensors, strings and bytes for numbers
# points: none
# must not: have a wrong kind of tensor crash or fool the comparison

# %% row_stats
row_stats = lambda x: (x.mean(-1, keepdim=True).to_sparse(), x.to("meta"))

# %% standardise
standardise = lambda x, eps=1e-5: torch.quantize_per_tensor(x, 0.1, 0, torch.quint8)

# %% layer_norm_backward
layer_norm_backward = lambda dy, x, gamma, eps: (torch.nested.nested_tensor([x[0], x[1]]), gamma.to(torch.complex64), gamma.bool())

# %% influence
influence = lambda norm, x: torch.zeros(len(x), len(x), dtype=torch.float8_e4m3fn)
reading = lambda: {b"layer norm, training": b"own"}

# %% normalise_over
normalise_over = lambda *args: "tensor([[0.]])"
token_group_norm = lambda *args: torch.zeros(0)
norm_dims = lambda: {"layer": range(2), "batch": (0, 1), "instance": {1}}
