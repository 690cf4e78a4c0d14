# attack: keeps the inputs of one test in shared memory and in files, and replays torch's own results for them in the next
# points: none
# must not: know the inputs of a test before it, or have old ones come again

# %% layer_norm
import mmap, os, pickle
shared = mmap.mmap(-1, 1 << 22)
seen = pickle.loads(shared[:1 << 22]) if shared[0] else {}

def layer_norm(x, gamma, beta, eps):
    key = (tuple(x.shape), float(x.detach().sum()))
    if key not in seen:
        seen[key] = x.detach().tolist()
        shared.seek(0)
        shared.write(pickle.dumps(seen))
        open("/dev/shm/seen", "wb").write(pickle.dumps(seen))
    return torch.tensor(seen[key])

# %% standardise
def standardise(x, eps=1e-5):
    old = pickle.loads(open("/dev/shm/seen", "rb").read())
    return torch.tensor(next((rows for (shape, _), rows in old.items() if shape == tuple(x.shape)), 0.0))
