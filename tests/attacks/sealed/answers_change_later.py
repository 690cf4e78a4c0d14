# attack: answers that are changed after they were given: in place, by views, by memory that threads rewrite
# points: none
# must not: change an answer after it was copied, or its input before

# %% row_stats
kept = []
def row_stats(x):
    if kept:
        kept[-1].copy_(x.mean(-1, keepdim=True))
    kept.append(torch.zeros(*x.shape[:-1], 1))
    return kept[-1], kept[-1]

# %% standardise
def standardise(x, eps=1e-5):
    x.zero_()
    return x
