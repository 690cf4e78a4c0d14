# wrong: ends after one epoch
# fails: endless
# told: It ends after one epoch

# %% endless
def endless(loader):
    for batch in loader:
        yield batch
