# wrong: a new order each epoch, but each epoch stored first
# fails: endless
# told: A whole epoch is stored

# %% endless
def endless(loader):
    while True:
        yield from list(loader)
