"""generate, 2 points: names drawn letter by letter."""
import math

import torch
from torch import nn

LETTERS = ".abcdefghijklmnopqrstuvwxyz"
NEVER = -1e9  # a logit

task = Task("generate")


class Rigged(nn.Module):
    """A model whose logits follow from the oldest and the newest letter. It writes down its modes and the contexts' shapes."""

    def __init__(self, follow):
        super().__init__()
        self.follow, self.modes, self.shapes = follow, [], []
        self.note_mode, self.note_shape = self.modes.append, self.shapes.append  # a copy of the model notes here, too
        self.dropout = nn.Dropout(0.9)

    def forward(self, contexts):
        self.note_mode(self.training)
        self.note_shape(list(contexts.shape))
        if len(self.modes) > 2_000:
            raise RuntimeError("the model is asked again and again: stop at a 0")
        return self.dropout(self.follow(contexts[:, 0], contexts[:, -1]).to(torch.float32))


def chain(ids, sure=50.):
    """A model that is sure of one letter after the other; where dropout takes a logit away it is sure of none."""
    after = torch.zeros(27, 27)
    after[[0, *ids], [*ids, 0]] = sure
    return Rigged(lambda oldest, newest: after[newest])


def alike(**logits):
    """A model that draws among a few letters, whatever came before; `dot` is the end."""
    row = torch.full((27,), NEVER)
    for name, value in logits.items():
        row[LETTERS.index("." if name == "dot" else name)] = value
    return Rigged(lambda oldest, newest: row.expand(len(newest), 27))


def flat():
    return Rigged(lambda oldest, newest: torch.zeros(len(newest), 27))


def luck(seed):
    return torch.Generator().manual_seed(seed)


def secret(seed):
    return luck(int(sample_ids(10**6, 1, seed=seed)))


AB = "a model that is sure of a, then b, then the end"


@task.probe(AB, shown=f"generate(model, 3, generator=torch.Generator()): {AB}", otherwise="Letters stand there to which the model gives no "
            "chance. Is each of them drawn, by a softmax over the 27 logits, the dot's too, divided by T (dim=-1), after zeros and the ids "
            "drawn before, and written as the letter of its id (1 is a)?")
def _(generate):
    return generate(chain([1, 2]).eval(), 3, generator=luck(0))


@task.probe("one context of three ids, each time", shown=f"generate(model, 3): {AB}; the shapes that it is asked with")
def _(generate):
    model = chain([1, 2]).eval()
    generate(model, 3, generator=luck(0))
    return model.shapes


@task.probe("while it runs: training mode?", shown=f"generate(model, 3): {AB}; the modes that it is asked in")
def _(generate):
    model = chain([1, 2])
    generate(model, 3, generator=luck(0))
    return sorted(set(model.modes))


@task.probe("a model keeps its mode, and so do its parts: in training, in evaluation mode, and at temperature 0", shown="the modes, after each call")
def _(generate):
    seen = []
    for training, options in ((True, {}), (False, {}), (True, {"temperature": 0.}), (True, {"max_length": 1})):
        model = chain([1, 2]).train(training)
        generate(model, 3, generator=luck(0), **options)
        seen.append([part.training for part in model.modules()])
    return seen


@task.probe("at most four letters", shown='generate(model, 2, max_length=4): a model that is sure of a each time')
def _(generate):
    return generate(Rigged(lambda oldest, newest: 50. * torch.eye(27)[torch.ones_like(newest)]).eval(), 2, max_length=4, generator=luck(0))


@task.probe("at most no letter", shown=f"generate(model, 3, max_length=0): {AB}")
def _(generate):
    return generate(chain([1, 2]).eval(), 3, max_length=0, generator=luck(3))


@task.probe("temperature 0 takes the most likely letter", shown="generate(model, 3, temperature=0): a, then b, then the end are the most likely",
            otherwise="At temperature 0 nothing is drawn: the most likely letter comes each time, until that is the dot. It comes into the "
            "context, as any other.")
def _(generate):
    return generate(chain([1, 2], 1.).eval(), 3, temperature=0.)


@task.probe("a tiny temperature comes to the same", shown="generate(model, 3, 0.001): a, then b, then the end are the most likely",
            otherwise="A small temperature makes the likely letter certain: are the logits divided by it before the softmax, for every letter "
            "and whatever it is, and does the context begin with zeros alone?")
def _(generate):
    return generate(chain([1, 2], 1.).eval(), 3, 0.001, generator=luck(1))


@task.probe("a huge temperature makes all letters alike: not ab four times", False, shown=f"generate(model, 3, 1e6, 12): {AB}",
            otherwise="At this temperature all letters are nearly alike: divide the logits by it, however large it is, then take the softmax, then draw.")
def _(generate):
    source = luck(2)
    return [generate(chain([1, 2]).eval(), 3, 1e6, 12, source) for _ in range(4)] == 4 * ["ab"]


@task.probe("afterwards gradients are switched on, as before", True, shown="torch.is_grad_enabled(), after a call")
def _(generate):
    generate(chain([1, 2]).eval(), 3)
    return torch.is_grad_enabled()


def twice(generate, *args):
    """Whether the same generator gives the same names, whatever torch's own seed is."""
    names = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        source = luck(4)
        names.append([generate(flat().eval(), 2, *args, generator=source) for _ in range(3)])
    return names[0] == names[1]


@task.probe("the same generator draws the same names", (True, True), shown="3 names of a model that finds all letters alike, twice",
            otherwise="The same generator gives other names. Is something drawn without it? Give it to every draw, as in torch.multinomial(p, "
            "1, generator=generator), and do not seed it.")
def _(generate):
    return twice(generate), twice(generate, 0.5)


@task.probe("one generator draws different names, one after the other", True, shown="10 names of a model that finds all letters alike: more than 5 differ",
            otherwise="The names do not differ enough. Is each letter drawn? Or does the generator start anew for each name: do not seed it, and "
            "do not draw from a copy.")
def _(generate):
    source = luck(4)
    return len({generate(flat().eval(), 2, generator=source) for _ in range(10)}) > 5


@task.probe("without a generator names differ, too", True, shown="10 names of a model that finds all letters alike, drawn without a generator: more than 5 differ",
            otherwise="Without a generator the names do not differ enough: draw each letter then, too, and set no seed.")
def _(generate):
    return len({generate(flat().eval(), 2) for _ in range(10)}) > 5


@task.probe("two letters alike: both are drawn at a tiny temperature", ["a", "b"], shown="the letters of generate(model, 2, 0.001, 60): a and b are alike")
def _(generate):
    return sorted(set(generate(alike(a=0., b=0.).eval(), 2, 0.001, 60, luck(5))))


# bands: nearly five standard deviations of a right answer to either side
@task.probe("at temperature 0.25, a nine times as likely as b: the share of a", between(0.81, 0.98), drawn=True, shown="300 letters drawn at temperature 0.25")
def _(generate):
    model, source = alike(a=0.25 * math.log(9), b=0.).eval(), secret(73)
    return "".join(generate(model, 1, 0.25, 60, source) for _ in range(5)).count("a") / 300


@task.probe("the dot, a and z alike: the shares of no name, of a and of z", drawn=True, shown="300 names: generate(model, 2, 1., 1)",
            wanted=where("each between 0.2 and 0.47", lambda shares: all(0.2 <= one <= 0.47 for one in shares)))
def _(generate):
    model, source = alike(dot=0., a=0., z=0.).eval(), secret(74)
    names = [generate(model, 2, 1., 1, source) for _ in range(300)]
    return [names.count(name) / 300 for name in ("", "a", "z")]


@task.probe("at temperature 0 the dot may come first", shown="generate(model, 2, 0): the dot is the most likely")
def _(generate):
    return generate(alike(dot=1., a=0.).eval(), 2, 0.)


@task.probe("the alphabet in another order, the usual length, and three letters, of a model with dropout", drawn=True)
def _(generate):
    order = (1 + sample(26, seed=77).argsort()).tolist()
    cases = ((True, {"max_length": 30}), (False, {}), (True, {"temperature": 0., "max_length": 3}))
    return [generate(chain(order).train(training), 4, generator=luck(9), **options) for training, options in cases]


@task.probe("a model that reads the oldest and the newest letter: contexts of five and of two", drawn=True)
def _(generate):
    ranks = [sample(27, 27, seed=seed).argsort(-1).argsort(-1).float() for seed in (71, 72)]
    model = Rigged(lambda oldest, newest: 30 * ranks[0][oldest] + ranks[1][newest]).eval()
    return generate(model, 5, 0., 8), generate(model, 2, 0.01, 8, luck(3))


# %% mistakes
ARGMAX, DRAW = "if temperature == 0:", "torch.multinomial(shares, 1, generator=generator)"
SOFTMAX, STOP = "F.softmax(logits / temperature, dim=-1)", "        if i == 0:\n            break\n"
mistake("The dot is not part of the name.", {STOP: "", "name += ALPHABET[i]": "name += ALPHABET[i]\n        if i == 0:\n            break"})
mistake("The start is not part of the name.", of="generate", returns='"." + name')
mistake("Neither dot is part of the name.", of="generate", returns='"." + name + "."')
mistake("The first letter is missing. Is it stored, and does the context begin with zeros?", of="generate", returns="name[1:]")
mistake("Your letters are shifted by one: id 1 is a.", {"ALPHABET[i]": "chr(97 + i)"})
mistake("You return ids. Join the letters to a text.", of="generate", returns="[ALPHABET.index(letter) for letter in name]")
mistake("The newest letter is in the wrong place of the context: it belongs at the end, behind those before it.", {"context[1:] + [i]": "[i] + context[:-1]"})
mistake("The first letter comes again and again. Is the model asked anew for each letter, with the oldest id dropped in front and the newest one appended?", {"context = context[1:] + [i]": "pass"})
mistake("The name goes on behind its end: stop at a 0.", {STOP: ""})
mistake("Write the letters as ALPHABET has them, all of them small.", of="generate", returns="name.upper()")
mistake("Only the first letter is there. Do you stop before the last one is stored, or after one draw?", of="generate", returns="name[:1]")
mistake("The model is asked in training mode: call eval() before.", {"model.eval()": "pass"})
mistake("You set the mode of the whole alone. Its parts have modes, too: model.eval() sets them all.",
        {"model.eval()": "model.training = False", "model.train(was_training)": "model.training = was_training"})
mistake("You put back the mode of the whole alone. Its parts have modes, too: model.train(mode) sets them all.", {"model.train(was_training)": "model.training = was_training"})
mistake("Your context grows: drop the oldest id when you append the new one.", {"context[1:] + [i]": "context + [i]"})
mistake("Your context starts empty: begin with zeros.", {"[0] * context_size": "[]", "context[1:] + [i]": "context + [i]", "torch.tensor([context])": "torch.tensor([context], dtype=torch.long)"})
mistake("Your context has context_size ids, however many those are.", {"[0] * context_size": "[0] * min(3, context_size)"})
mistake("You left it in evaluation mode.", {"model.train(was_training)": "pass"})
mistake("You left it in evaluation mode where the name reaches max_length.", {"name += ALPHABET[i]": "name += ALPHABET[i]\n        if len(name) == max_length:\n            return name"})
mistake("It is in training mode now. Restore the mode that it was in.", {"model.train(was_training)": "model.train()"})
mistake("At temperature 0 the model is asked in evaluation mode, too.", {"model.eval()": "model.train(was_training and temperature == 0)"})
mistake("One letter too many: max_length counts the letters of the name.", {"len(name) < max_length": "len(name) <= max_length"})
mistake("One letter too few. Only a 0, or max_length letters, ends a name: does something else end yours, or is the last letter cut off?", {"len(name) < max_length": "len(name) < max_length - 1"})
mistake("max_length counts the letters of the name alone, not the context.", {"len(name) < max_length": "len(name) + max(0, context_size - 3) < max_length"})
mistake("max_length may be more than 20.", {"len(name) < max_length": "len(name) < min(max_length, 20)"})
mistake("An error at temperature 0. Is something divided by it? Take the most likely letter, an argmax over the 27 logits.", {ARGMAX: "if False:"})
mistake("The name is empty. Do you take the most likely letter, after zeros in each call (a list that is made once remembers the last name), and store it before you stop?",
        {"int(logits.argmax())": "0"})
mistake("The first letter comes again and again. Does each letter get into the context at temperature 0, too?", {"context = context[1:] + [i]": "context = context[1:] + [i] if temperature else context"})
mistake("At temperature 0 the dot may come first, too, and ends the name.", {"int(logits.argmax())": "int(logits.argmax() if name else logits[1:].argmax() + 1)"})
mistake("At this temperature all letters are nearly alike: divide the logits by it, however large it is, then take the softmax, then draw.", {ARGMAX: "if True:"})
mistake("You multiplied by the temperature. Divide the logits by it.", {"logits / temperature": "logits * temperature"})
effect = "The temperature has no effect: divide the logits by T before the softmax, not the shares after it."
mistake(effect, {"logits / temperature": "logits"})
mistake(effect, {SOFTMAX: "F.softmax(logits, dim=-1) / temperature"})
mistake("The temperature has too little effect: divide the logits by T itself, before the softmax.", {"logits / temperature": "logits / temperature**0.5"})
nearly = "The most likely letter comes nearly always. Do you take it at temperatures below 1 (only 0 means that), or divide by T more than once?"
mistake(nearly, {"logits / temperature": "logits / temperature**3"})
mistake(nearly, {ARGMAX: "if temperature < 1:"})
mistake("Gradients are switched off for the whole notebook now: use `with torch.no_grad():`, or the decorator, which end.", {"@torch.no_grad()\n": "", "    was_training": "    torch.set_grad_enabled(False)\n    was_training"})
mistake("One letter, where max_length is 0: compare with max_length itself, 0 too, before the first draw.", {"len(name) < max_length": "not name or len(name) < max_length"})
gen = "The same generator gives other names. Is something drawn without it? Give it to every draw, as in torch.multinomial(p, 1, generator=generator), and do not seed it."
mistake(gen, {", generator=generator))": "))"})
mistake(gen, {"name += ALPHABET[i]": "name += ALPHABET[i]\n        generator = None"})
mistake(gen, {"generator=generator))": "generator=generator if temperature == 1 else None))"})
mistake("The names do not differ enough. Is each letter drawn? Or does the generator start anew for each name: do not seed it, and do not draw from a copy.",
        {"    was_training": "    if generator:\n        generator.manual_seed(0)\n    was_training"})
without = "Without a generator the names do not differ enough: draw each letter then, too, and set no seed."
mistake(without, {"    was_training": "    if generator is None:\n        generator = torch.Generator().manual_seed(0)\n    was_training"})
mistake(without, {"    was_training": "    if generator is None:\n        torch.manual_seed(0)\n    was_training"})
mistake(without, {ARGMAX: "if temperature == 0 or generator is None:"})
mistake("Only a temperature of 0 takes the most likely letter: at any other one, however small, the letter is drawn.", {ARGMAX: "if temperature < 0.1:"})
skip = "Hardly a name is empty. The dot may be drawn first, and ends the name there, too: do not rule it out, skip it or draw again."
mistake(skip, {STOP: "        if i == 0 and not name:\n            continue\n" + STOP})
mistake(skip, {SOFTMAX: "F.softmax((logits if name else logits.index_fill(0, torch.tensor([0]), -1e30)) / temperature, dim=-1)"})
mistake("z is never drawn: all 27 logits count.", {DRAW: DRAW.replace("shares", "shares[:26]")})

# %% right: draws by the Gumbel trick, greedy where the temperature is 0
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    mode = model.training
    model.eval()
    context = torch.zeros(1, context_size, dtype=torch.long)
    letters = []
    for _ in range(max_length):
        logits = model(context).squeeze(0)
        noise = -torch.log(-torch.log(torch.rand(27, generator=generator).clamp(1e-9, 1 - 1e-7)))
        i = (logits + temperature * noise).argmax()
        if i.item() == 0:
            break
        letters.append(ALPHABET[i.item()])
        context = torch.cat([context[:, 1:], i.view(1, 1)], dim=1)
    model.train(mode)
    return "".join(letters)

# %% right: draws by a uniform number against cumulated probabilities, recursion
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    def continued(context, room):
        if room == 0:
            return ""
        with torch.no_grad():
            logits = model(context)[0].double()
        p = (logits - logits.max()) / max(temperature, 1e-8)
        p = p.exp() / p.exp().sum()
        i = min(int((p.cumsum(0) < torch.rand(1, generator=generator).item()).sum()), 26)
        return "" if i == 0 else ALPHABET[i] + continued(torch.cat([context[:, 1:], torch.tensor([[i]])], 1), room - 1)

    training = model.training
    model.eval()
    name = continued(torch.zeros(1, context_size, dtype=torch.int64), max_length)
    model.train(training)
    return name

# %% right: Categorical by hand with uniform numbers of the generator
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    training = model.training
    model.eval()
    context, out = [0] * context_size, []
    while len(out) < max_length:
        logits = model(torch.tensor([context])).squeeze(0)
        if temperature == 0:
            ix = logits.argmax().item()
        else:
            probs = F.softmax(logits / temperature, dim=0)
            u = torch.rand(1, generator=generator)
            ix = min(int((probs.cumsum(0) < u).sum()), 26)
        if ix == 0:
            break
        context = context[1:] + [ix]
        out.append(ALPHABET[ix])
    model.train(training)
    return "".join(out)

# %% right: ids in a tensor that moves, an exponential race
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    was_training = model.training
    model.eval()
    context, name = torch.zeros(1, context_size, dtype=torch.long), ""
    while len(name) < max_length:
        logits = model(context)[0]
        if temperature == 0:
            i = int(logits.argmax())
        else:
            shares = F.softmax(logits / temperature, dim=-1)
            race = torch.empty(27, dtype=shares.dtype).exponential_(generator=generator)
            i = int((shares / race).argmax())
        if i == 0:
            break
        name += ALPHABET[i]
        context = torch.cat([context[:, 1:], torch.tensor([[i]])], 1)
    model.train(was_training)
    return name

# %% right: uniform numbers for a whole name, drawn before its first letter
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    mode, ids = model.training, [0] * context_size
    luck = torch.rand(max_length, generator=generator, dtype=torch.float64).tolist()
    model.eval()
    try:
        with torch.no_grad():
            for u in luck:
                logits = model(torch.tensor(ids[-context_size:])[None]).squeeze(0).double()
                if temperature:
                    p = ((logits - logits.max()) / temperature).exp()
                    i = int((p.cumsum(0) <= u * p.sum()).sum())
                else:
                    i = logits.max(0).indices.item()
                if not i:
                    break
                ids.append(i)
    finally:
        model.train(mode)
    return "".join(ALPHABET[i] for i in ids[context_size:])

# %% right: numbered modes, a tensor shifted in place, logits in double precision
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    modes = [(part, part.training) for part in model.modules()]
    for part, _ in modes:
        part.training = False
    context, letters = torch.zeros(1, context_size, dtype=torch.int64), []
    while len(letters) != max_length:
        with torch.inference_mode():
            logits = model(context)[-1].double()
        if temperature > 0:
            p = (logits / temperature).softmax(0)
            i = torch.multinomial(p, num_samples=1, generator=generator).item()
        else:
            i = logits.argmax().item()
        if i == 0:
            break
        letters.append(chr(ord("a") - 1 + i))
        context = torch.cat([context[:, 1:], torch.tensor([[i]])], 1)
    for part, was in modes:
        part.training = was
    return "".join(letters)

# %% right: a copy of the model is asked
import copy


@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    model = copy.deepcopy(model).eval()
    context, name = [0] * context_size, ""
    while len(name) < max_length:
        logits = model(torch.tensor([context]))[0]
        if temperature == 0:
            i = int(logits.argmax())
        else:
            shares = F.softmax(logits / temperature, dim=-1)
            i = int(torch.multinomial(shares, 1, generator=generator))
        if i == 0:
            break
        name += ALPHABET[i]
        context = context[1:] + [i]
    return name

# %% right: ARENA
from torch import Tensor


@torch.inference_mode()
def generate(
    model: nn.Module,
    context_size: int,
    temperature: float = 1.0,
    max_length: int = 20,
    generator: torch.Generator | None = None,
) -> str:
    assert temperature >= 0, "Temperature should be non-negative"
    training = model.training
    model.eval()
    ids = torch.zeros(context_size, dtype=torch.int64)
    name = []
    for _ in range(max_length):
        logits = model(ids[None, -context_size:]).squeeze(0)
        if temperature == 0:
            next_id = logits.argmax()
        else:
            probs = (logits / temperature).softmax(dim=-1)
            next_id = torch.multinomial(probs, 1, generator=generator).squeeze()
        if next_id.item() == 0:
            break
        name.append(ALPHABET[next_id.item()])
        ids = torch.cat([ids, next_id.reshape(1)])
    model.train(training)
    return "".join(name)

# %% right: CS231n
ix_to_char = {i: ch for i, ch in enumerate(ALPHABET)}


@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    mode = model.training
    model.eval()
    x = [0] * context_size
    ixes = []
    for t in range(max_length):
        y = model(torch.LongTensor([x]))
        if temperature == 0.0:
            ix = torch.argmax(y[0]).item()
        else:
            scaled = y[0] / temperature
            p = torch.exp(scaled - torch.max(scaled))
            p = p / torch.sum(p)
            ix = torch.multinomial(p, num_samples=1, generator=generator).item()
        if ix == 0:
            break
        x = x[1:] + [ix]
        ixes.append(ix)
    model.train(mode)
    return "".join(ix_to_char[ix] for ix in ixes)

# %% right: makemore
itos = {i:s for i,s in enumerate(ALPHABET)}

@torch.no_grad()
def generate(model, block_size, temperature=1.0, max_length=20, generator=None):
  training = model.training
  model.eval()
  out = []
  context = [0] * block_size # initialize with all ...
  while len(out) < max_length:
    # forward pass the neural net
    logits = model(torch.tensor([context]))
    if temperature == 0:
      ix = logits.argmax(1).item()
    else:
      probs = F.softmax(logits / temperature, dim=1)
      # sample from the distribution
      ix = torch.multinomial(probs, num_samples=1, generator=generator).item()
    # shift the context window and track the samples
    context = context[1:] + [ix]
    # if we sample the special '.' token, break
    if ix == 0:
      break
    out.append(ix)
  model.train(training)
  return ''.join(itos[i] for i in out)

# %% right: torch source
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    was_training = model.training
    model.eval()
    context = torch.zeros(1, context_size, dtype=torch.long)
    name = []
    while len(name) < max_length:
        logits = model(context)
        if temperature == 0:
            index = logits.argmax(dim=-1, keepdim=True)
        else:
            probs = F.softmax(logits / temperature, dim=-1)
            index = torch.multinomial(probs, 1, generator=generator)
        if index.item() == 0:
            break
        name.append(index.item())
        context = torch.cat([context[:, 1:], index], dim=1)
    model.train(was_training)
    return "".join(ALPHABET[index] for index in name)

# %% right: numpy first
import numpy as np

letters = np.array(list(ALPHABET))


@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    was_training = model.training
    model.eval()
    context = np.zeros(context_size, dtype=np.int64)
    name = []
    while len(name) < max_length:
        logits = model(torch.from_numpy(context[None, :].copy()))[0].numpy().astype(np.float64)
        if temperature == 0:
            i = int(np.argmax(logits))
        else:
            z = logits / temperature
            p = np.exp(z - z.max())
            p /= p.sum()
            u = torch.rand(1, generator=generator).item()
            i = min(int(np.searchsorted(np.cumsum(p), u, side="right")), 26)
        if i == 0:
            break
        name.append(letters[i])
        context = np.append(context[1:], i)
    model.train(was_training)
    return "".join(name)

# %% right: plain loops
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    was_training = model.training
    model.eval()
    context = []
    for i in range(context_size):
        context.append(0)
    name = ""
    while len(name) < max_length:
        logits = model(torch.tensor([context]))[0].tolist()
        if temperature == 0:
            letter = logits.index(max(logits))
        else:
            largest = max(logits)
            weights = []
            for logit in logits:
                weights.append(math.exp((logit - largest) / temperature))
            luck = torch.rand(1, generator=generator).item() * sum(weights)
            letter = 0
            while luck >= weights[letter] and letter < 26:
                luck = luck - weights[letter]
                letter = letter + 1
        if letter == 0:
            break
        name = name + ALPHABET[letter]
        context.append(letter)
        context.pop(0)
    if was_training:
        model.train()
    return name
