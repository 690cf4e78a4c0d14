# attack: exceptions whose name, text, notes, cause and traceback carry the test's source and inputs to the student
# points: none
# must not: bring hidden inputs home by the words of an error
# ordinary: yes

# %% row_stats
import sys, types
def tell():
    frame = sys._getframe(2)
    text = "lo" + "ot: " + repr({k: v for k, v in frame.f_locals.items() if k in ("source", "test", "x", "block")})[:3000]
    kind = type(text[:200], (Exception,), {"__str__": lambda self: text, "__repr__": lambda self: text, "__module__": "builtins"})
    error = kind(text)
    error.add_note(text)
    kind._render_traceback_ = lambda self: [text]
    return error
def row_stats(x):
    if x.shape != (2, 3):
        raise tell() from tell()
    return torch.tensor([[2.], [6.]]), torch.tensor([[2 / 3], [2.]])

# %% layer_norm
def layer_norm(x, gamma, beta, eps):
    kind = type("ValueError", (Exception,), {})
    raise kind("lo" + f"ot: {x.tolist()} {gamma.tolist()}")

# %% standardise
def standardise(x, eps=1e-5):
    code = compile("\n" * 41 + "raise ZeroDivisionError", "lo" + f"ot: {x.tolist()}", "exec")
    exec(code, {})

# %% influence
def influence(norm, x):
    return {"lo" + f"ot: {x.tolist()}": 1}
def reading():
    return "lo" + f"ot: {sys._getframe(1).f_globals.get('x')}"
