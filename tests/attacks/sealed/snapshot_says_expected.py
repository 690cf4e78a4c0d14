# attack: snapshot, captured before sealing and found through gc, returns whatever tensor nearby could be the expected one
# points: none
# must not: find an expected value in the session

# %% row_stats
import gc, types
gc.unfreeze()

def any_tensor(like):
    gc.unfreeze()
    return [o for o in gc.get_objects() if type(o) is torch.Tensor and o.shape == like][-1:]

for function in [o for o in gc.get_objects() if isinstance(o, types.FunctionType) and o.__name__ == "snapshot"]:
    original = types.FunctionType(function.__code__, function.__globals__, "original", function.__defaults__)
    function.__code__ = (lambda answer, _depth=0: __import__("builtins")._swap(answer, _depth)).__code__
    import builtins
    builtins._swap = lambda answer, depth: (lambda found: found[0].detach().clone() if found else 0.0)(
        any_tensor(getattr(answer, "shape", None)))

def row_stats(x):
    return x
