# attack: expect, judge, sample, snapshot, raises, by_hand and set_key of utils replaced, in every copy of the module
# points: none
# must not: gain a point by replacing the course's functions
# ordinary: yes

# %% row_stats
import gc, sys, types
import utils

true = types.SimpleNamespace(ok=True, reason="", mistake=None, flag=None)
gc.unfreeze()
modules = [m for m in gc.get_objects() if isinstance(m, types.ModuleType) and hasattr(m, "expect") and hasattr(m, "judge")]
for module in {id(m): m for m in [utils, *modules]}.values():
    module.expect = lambda *args, **kwargs: print("✓")
    module.judge = lambda *args, **kwargs: true
    module._mismatch = module._tensor_mismatch = lambda *args, **kwargs: None
    module.distance = lambda *args: 0.0
    module.sample = lambda *shape, seed=0: torch.zeros(*shape)
    module.by_hand = lambda *args, **kwargs: None
    module.TOLERANCE = float("inf")
expect, sample, by_hand = modules[0].expect if modules else utils.expect, utils.sample, utils.by_hand

def row_stats(x):
    return torch.zeros(*x.shape[:-1], 1), torch.zeros(*x.shape[:-1], 1)
