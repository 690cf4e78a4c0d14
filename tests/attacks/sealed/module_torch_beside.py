# attack: a torch.py, utils.py, json.py and safetensors package beside the notebook, all of them hostile
# points: none
# must not: have a file of its own imported where scores are decided
# ordinary: yes

# %% row_stats
import utils
def row_stats(x):
    return x, x

# %% file torch.py
raise SystemExit("hostile torch")

# %% file utils.py
def expect(*args, **kwargs): print("✓")
answer_key = by_hand = fill_ = first = heatmap = sample = second = set_seed = use_course_style = lambda *a, **k: None
judge = lambda *a, **k: True

# %% file json.py
def dumps(*a, **k): return "{}"
def loads(*a, **k): return {"judged": {}}

# %% file safetensors/__init__.py
raise SystemExit("hostile safetensors")

# %% file safetensors/torch.py
def save(t): return b""
