# attack: sys.modules, sys.meta_path, import hooks and lazily imported modules replaced by hostile ones
# points: none
# must not: reach the trusted side or gain a point

# %% row_stats
import sys, types
class Anything(types.ModuleType):
    def __getattr__(self, name):
        return lambda *args, **kwargs: True
class Finder:
    def find_spec(self, name, path=None, target=None):
        sys.modules[name] = Anything(name)
        return None
sys.meta_path.insert(0, Finder())
for name in ("utils", "grading", "grading.wire", "grading.session", "safetensors", "safetensors.torch", "torch.testing", "nbgrader", "json"):
    sys.modules[name] = Anything(name)
row_stats = lambda x: (x, x)
