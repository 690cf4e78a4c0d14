# attack: builtins, json, compile, exec, len, isinstance, print and __build_class__ replaced
# points: none
# must not: gain a point by changing the language under a test

# %% row_stats
import builtins, json
real = builtins.exec
builtins.exec = lambda *args: None
builtins.compile = lambda *args, **kwargs: real
builtins.isinstance = lambda *args: True
builtins.len = lambda *args: 3
builtins.abs = builtins.max = lambda *args, **kwargs: 0
json.dumps = lambda *args, **kwargs: "{}"

# %% layer_norm
def layer_norm(*args): return True
