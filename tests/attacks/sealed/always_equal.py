# attack: objects whose every comparison, arithmetic and torch function says True
# points: none
# must not: have an object's own opinion of itself count

# %% row_stats
class Yes:
    shape, dtype, ndim = (2, 1), torch.float32, 2
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __bool__(self): return True
    def __le__(self, other): return True
    __lt__ = __ge__ = __gt__ = __le__
    def __hash__(self): return 0
    def __sub__(self, other): return 0.0
    __rsub__ = __add__ = __radd__ = __mul__ = __abs__ = __sub__ if False else (lambda self, *other: 0.0)
    def __getitem__(self, index): return self
    def __len__(self): return 2
    def __iter__(self): return iter([self, self])
    def __getattr__(self, name): return self
    def __call__(self, *args, **kwargs): return self
    def __array__(self, *args, **kwargs): return torch.ones(2, 1).numpy()
    def __float__(self): return 0.0
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None): return True
    @property
    def __class__(self): return torch.Tensor

yes = Yes()
row_stats = lambda *args, **kwargs: (yes, yes)

# %% layer_norm
layer_norm = lambda *args, **kwargs: yes

# %% LayerNorm
LayerNorm = lambda *args, **kwargs: yes

# %% standardise
standardise = lambda *args, **kwargs: yes

# %% influence
influence = reading = lambda *args, **kwargs: yes
