# attack: a Tensor subclass whose __torch_function__ answers every comparison with True
# points: none
# must not: have a subclass's methods run where answers are judged

# %% standardise
class Always(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        name = getattr(function, "__name__", "")
        if name in ("allclose", "equal", "all", "any", "__bool__", "isclose", "__eq__", "__le__"):
            return True
        if name in ("sub", "__sub__", "__rsub__", "abs"):
            return torch.zeros(())
        return super().__torch_function__(function, types, args, kwargs or {})

def standardise(x, eps=1e-5):
    return torch.zeros_like(x).as_subclass(Always)
