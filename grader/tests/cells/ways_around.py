"""Ways in which people got around a watch that rested: cells that reach a ready-made operation."""

WAYS = {
    "deepcopy with a memo": [
        """
from copy import deepcopy
def layer_norm(x):
    f = deepcopy(str.join, {id(str): F, id("join"): "layer" + "_norm"})
    return f(x, x.shape[-1:])
"""
    ],
    "deepcopy of a method": [
        """
from copy import deepcopy
class Peek:
    def __init__(self):
        self.builtins = self.getattr = 0
    def one(self):
        return self.builtins
    def two(self):
        return self.getattr
    def __call__(self):
        b = deepcopy(self.one, {id(self): torch})()
        return deepcopy(self.two, {id(self): b})()
def layer_norm(x):
    return Peek()()(F, "layer" + "_norm")(x, x.shape[-1:])
"""
    ],
    "a scheduler's state": [
        """
from torch import optim
class S(optim.lr_scheduler.LambdaLR):
    def __init__(self):
        self.lr_lambdas = [F]
def layer_norm(x):
    return S().state_dict()["lr_lambdas"][0]["layer" + "_norm"](x, x.shape[-1:])
"""
    ],
    "a decorator over what nobody names": [
        """
box = []
@box.append
def never(x):
    return F.layer_norm(x, x.shape[-1:])
def layer_norm(x):
    return box[0](x)
"""
    ],
    "an instance in the place of a base class": [
        """
box = []
class A:
    def __init__(self, *given):
        box.append(given)
class B(A()):
    def __init__(self):
        self.builtins = self.getattr = 0
    def one(self):
        return self.builtins
    def two(self):
        return self.getattr
def layer_norm(x):
    ns = box[1][2]
    return ns["two"](ns["one"](torch))(F, "layer" + "_norm")(x, x.shape[-1:])
"""
    ],
    "a slice in the place of a base class": [
        """
class B(slice(1)):
    def __init__(self):
        self.builtins = self.getattr = 0
    def one(self):
        return self.builtins
    def two(self):
        return self.getattr
def layer_norm(x):
    ns = B.step
    return ns["two"](ns["one"](torch))(F, "layer" + "_norm")(x, x.shape[-1:])
"""
    ],
    "self in a default": [
        """
class A:
    def __init__(self):
        self.builtins = self.getattr = 0
    def __call__(self, b=[self.getattr for self in [self.builtins for self in [torch]]]):
        return b[0]
def layer_norm(x):
    return A()()(F, "layer" + "_norm")(x, x.shape[-1:])
"""
    ],
    "self in the default of a lambda": [
        """
class A:
    def __init__(self):
        self.builtins = self.getattr = 0
    def __call__(self, *, b=(lambda this: [[self.getattr for self in [self.builtins]][0] for self in this])([torch])):
        return b[0]
def layer_norm(x):
    return A()()(F, "layer" + "_norm")(x, x.shape[-1:])
"""
    ],
    "self at the top level": [
        """
self = torch
class A:
    def __init__(self):
        self.builtins = self.getattr = 0
    def __call__(self, b=self.builtins):
        return b
self = A()()
class B:
    def __init__(self):
        self.builtins = self.getattr = 0
    def __call__(self, b=self.getattr):
        return b
def layer_norm(x):
    return B()()(F, "layer" + "_norm")(x, x.shape[-1:])
"""
    ],
    "a class within a function": [
        """
def make(self):
    class A:
        def __init__(self):
            self.builtins = self.getattr = 0
        def __call__(self, b=self.builtins):
            return b
    return A()
def make2(self):
    class A:
        def __init__(self):
            self.builtins = self.getattr = 0
        def __call__(self, b=self.getattr):
            return b
    return A()
def layer_norm(x):
    return make2(make(torch)())()(F, "layer" + "_norm")(x, x.shape[-1:])
"""
    ],
    "a name that Python spells anew": [
        """
class A:
    def __init__(self):
        self.builtins = self.getattr = 0
    def one(__self):
        _A__self = torch
        return __self.builtins
    def __call__(__self):
        _A__self = __self.one()
        return __self.getattr

def layer_norm(x):
    return A()()(F, "layer" + "_norm")(x, x.shape[-1:])
"""
    ],
    "super of a name that Python spells anew": [
        """
class One:
    def __init__(self):
        self.builtins = self.getattr = 0
    def forward(self):
        return self.builtins
class Two:
    def __init__(self):
        self.getattr = 0
    def forward(self):
        return self.getattr
class S(One):
    def __call__(__self):
        _S__self = S
        return super().forward
class T2(Two):
    def __call__(__self):
        _T2__self = T2
        return super().forward
def layer_norm(x):
    return T2()()(S()()(torch))(F, "layer" + "_norm")(x, x.shape[-1:])
"""
    ],
    "a method by its spelt name": [
        """
class A:
    def __init__(self):
        self.builtins = self.getattr = 0
    def _A__one(self):
        return self.builtins
    def _A__two(self):
        return self.getattr
    def __call__(self, one=__one, two=__two):
        return two(one(torch))
def layer_norm(x):
    return A()()(F, "layer" + "_norm")(x, x.shape[-1:])
"""
    ],
    "a method that is called like an operation": [
        """
class One:
    def __init__(self):
        self.builtins = 0
    def cross_entropy(self):
        return self.builtins
class Two:
    def __init__(self):
        self.getattr = 0
    def cross_entropy(self):
        return self.getattr
def layer_norm(x):
    g = Two.cross_entropy(One.cross_entropy(torch))
    return g(F, "layer" + "_norm")(x, x.shape[-1:])
"""
    ],
    "super as an argument": [
        """
class One:
    def __init__(self):
        self.builtins = 0
    def forward(self):
        return self.builtins
class Two:
    def __init__(self):
        self.getattr = 0
    def forward(self):
        return self.getattr
class Sub:
    def go(self, super):
        return super().forward
    def __call__(self):
        return self.go(lambda: Two)(self.go(lambda: One)(torch))
def layer_norm(x):
    return Sub()()(F, "layer" + "_norm")(x, x.shape[-1:])
"""
    ],
    "super bound anew": [
        """
class One:
    def __init__(self):
        self.builtins = 0
    def forward(self):
        return self.builtins
class Two:
    def __init__(self):
        self.getattr = 0
    def forward(self):
        return self.getattr
class S1:
    def __call__(self):
        return super().forward
super = lambda: One
one = S1()()
super = lambda: Two
two = S1()()
def layer_norm(x):
    return two(one(torch))(F, "layer" + "_norm")(x, x.shape[-1:])
"""
    ],
    "a class derived from super": [
        """
class Peek:
    def __init__(self):
        self.builtins = self.getattr = 0
    def one(self):
        return self.builtins
    def two(self):
        return self.getattr
class Sub(Peek): pass
class S(super):
    def __init__(self):
        super().__init__(Sub, Sub)
    def never(self):
        self.one = self.two = 0
    def __call__(self):
        return self.two(self.one(torch))
def layer_norm(x):
    return S()()(F, "layer" + "_norm")(x, x.shape[-1:])
"""
    ],
    "a form feed that moves a cell to the left": [
        "    # note\n    \x0cdef never():\n    \x0c    pass\n    layer_norm = lambda x: F.layer_norm(x, x.shape[-1:])\n"
    ],
    "a prompt within a text moves a cell to the left": [
        """def layer_norm(x):
    return x
""",
        'def never():\n    """a\n    b"""\n    note = """\n>>>     c\n    """\n    layer_norm = lambda x: F.layer_norm(x, x.shape[-1:])\n',
    ],
    "a prompt within a text makes a magic": [
        '\npwd = 3\ntools = []\nnote = """\n>>> a\n"""\n... %pwd ("{tools.append(F.layer_norm)}")\ndef layer_norm(x):\n    return tools[0](x, x.shape[-1:])\n'
    ],
    "a magic behind a prompt and U+2028": [
        """def layer_norm(x):
    return x
""",
        "# a note\u2028a: int = %pwd\u2028layer_norm = lambda x: F.layer_norm(x, x.shape[-1:])\n",
    ],
    "an automagic before a dot": [
        """tools = []
""",
        """pwd .join("{tools.append(F.layer_norm)}")""",
        """if False: pwd = 0
def layer_norm(x):
    return tools[0](x, x.shape[-1:])
""",
    ],
}
