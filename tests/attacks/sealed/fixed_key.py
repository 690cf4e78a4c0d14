# attack: makes the key known: set_key does nothing, _key stays "notebook", random generators are replaced by constants
# points: none
# must not: make the hidden inputs of its test those that the answer key has, or profit from other ones

# %% standardise
import gc, hashlib, types
gc.unfreeze()
for module in [m for m in gc.get_objects() if isinstance(m, types.ModuleType) and hasattr(m, "set_key")]:
    module.set_key = lambda key: None
    module._key = "notebook"
    module._generator = lambda *words: torch.Generator().manual_seed(0)
torch.randn = lambda *shape, **options: torch.zeros(*shape)

def standardise(x, eps=1e-5):
    return torch.zeros_like(x)
