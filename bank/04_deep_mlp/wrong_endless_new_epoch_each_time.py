# wrong: begins a new epoch for every batch
# fails: endless
# told: You begin a new epoch for every batch

# %% endless
def endless(loader):
    while True:
        yield next(iter(loader))
