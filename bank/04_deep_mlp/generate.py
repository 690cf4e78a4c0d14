"""generate, 2 points."""

# %% right: very low temperatures in double precision; everything spelled out
@torch.inference_mode()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    was = model.training
    model.train(False)
    ids = [0] * context_size
    while len(ids) < context_size + max_length:
        logits = model(torch.tensor(ids[len(ids) - context_size:]).unsqueeze(0)).flatten().double()
        if temperature < 1e-6:
            drawn = logits.max(0).indices
        else:
            drawn = torch.multinomial(torch.softmax(logits / temperature, 0), 1, True, generator=generator)[0]
        if drawn == 0:
            break
        ids.append(drawn.item())
    if was:
        model.train()
    return "".join([ALPHABET[i] for i in ids[context_size:]])

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

# %% wrong: divides the probabilities
# told: Divide the logits by the temperature before the softmax
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    """Draw one name, letter by letter.

    model: (1, context_size) ids -> logits (1, 27); temperature: a number >= 0; generator: torch.Generator or None
    returns: str of at most max_length letters
    """
    was_training = model.training
    model.eval()
    context, name = [0] * context_size, ""
    while len(name) < max_length:
        logits = model(torch.tensor([context]))[0]
        if temperature == 0:
            i = int(logits.argmax())
        else:
            i = int(torch.multinomial(F.softmax(logits, dim=-1) / temperature, 1, generator=generator))
        if i == 0:
            break
        name += ALPHABET[i]
        context = context[1:] + [i]
    model.train(was_training)
    return name

# %% wrong: divides by temperature 0
# told: There is no dividing by it
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    """Draw one name, letter by letter.

    model: (1, context_size) ids -> logits (1, 27); temperature: a number >= 0; generator: torch.Generator or None
    returns: str of at most max_length letters
    """
    was_training = model.training
    model.eval()
    context, name = [0] * context_size, ""
    while len(name) < max_length:
        logits = model(torch.tensor([context]))[0]
        if False:
            i = int(logits.argmax())
        else:
            i = int(torch.multinomial(F.softmax(logits / temperature, dim=-1), 1, generator=generator))
        if i == 0:
            break
        name += ALPHABET[i]
        context = context[1:] + [i]
    model.train(was_training)
    return name

# %% wrong: the dot ends up in the name
# told: The dot is not part of the name
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    """Draw one name, letter by letter.

    model: (1, context_size) ids -> logits (1, 27); temperature: a number >= 0; generator: torch.Generator or None
    returns: str of at most max_length letters
    """
    was_training = model.training
    model.eval()
    context, name = [0] * context_size, ""
    while len(name) < max_length:
        logits = model(torch.tensor([context]))[0]
        if temperature == 0:
            i = int(logits.argmax())
        else:
            i = int(torch.multinomial(F.softmax(logits / temperature, dim=-1), 1, generator=generator))
        name += ALPHABET[i]
        if i == 0:
            break
        context = context[1:] + [i]
    model.train(was_training)
    return name

# %% wrong: always takes the most likely letter
# told: At this temperature all letters are nearly alike
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    """Draw one name, letter by letter.

    model: (1, context_size) ids -> logits (1, 27); temperature: a number >= 0; generator: torch.Generator or None
    returns: str of at most max_length letters
    """
    was_training = model.training
    model.eval()
    context, name = [0] * context_size, ""
    while len(name) < max_length:
        logits = model(torch.tensor([context]))[0]
        if True:
            i = int(logits.argmax())
        else:
            i = int(torch.multinomial(F.softmax(logits / temperature, dim=-1), 1, generator=generator))
        if i == 0:
            break
        name += ALPHABET[i]
        context = context[1:] + [i]
    model.train(was_training)
    return name

# %% wrong: asks the model in training mode
# told: The model runs in training mode
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    """Draw one name, letter by letter.

    model: (1, context_size) ids -> logits (1, 27); temperature: a number >= 0; generator: torch.Generator or None
    returns: str of at most max_length letters
    """
    was_training = model.training
    context, name = [0] * context_size, ""
    while len(name) < max_length:
        logits = model(torch.tensor([context]))[0]
        if temperature == 0:
            i = int(logits.argmax())
        else:
            i = int(torch.multinomial(F.softmax(logits / temperature, dim=-1), 1, generator=generator))
        if i == 0:
            break
        name += ALPHABET[i]
        context = context[1:] + [i]
    model.train(was_training)
    return name

# %% wrong: leaves the model in evaluation mode
# told: You left it in evaluation mode
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    """Draw one name, letter by letter.

    model: (1, context_size) ids -> logits (1, 27); temperature: a number >= 0; generator: torch.Generator or None
    returns: str of at most max_length letters
    """
    was_training = model.training
    model.eval()
    context, name = [0] * context_size, ""
    while len(name) < max_length:
        logits = model(torch.tensor([context]))[0]
        if temperature == 0:
            i = int(logits.argmax())
        else:
            i = int(torch.multinomial(F.softmax(logits / temperature, dim=-1), 1, generator=generator))
        if i == 0:
            break
        name += ALPHABET[i]
        context = context[1:] + [i]
    return name

# %% wrong: multiplies by the temperature
# told: Divide the logits by the temperature before the softmax
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    """Draw one name, letter by letter.

    model: (1, context_size) ids -> logits (1, 27); temperature: a number >= 0; generator: torch.Generator or None
    returns: str of at most max_length letters
    """
    was_training = model.training
    model.eval()
    context, name = [0] * context_size, ""
    while len(name) < max_length:
        logits = model(torch.tensor([context]))[0]
        if temperature == 0:
            i = int(logits.argmax())
        else:
            i = int(torch.multinomial(F.softmax(logits * temperature, dim=-1), 1, generator=generator))
        if i == 0:
            break
        name += ALPHABET[i]
        context = context[1:] + [i]
    model.train(was_training)
    return name

# %% wrong: puts the newest letter in front of the context
# told: The newest letter is in the wrong place
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    """Draw one name, letter by letter.

    model: (1, context_size) ids -> logits (1, 27); temperature: a number >= 0; generator: torch.Generator or None
    returns: str of at most max_length letters
    """
    was_training = model.training
    model.eval()
    context, name = [0] * context_size, ""
    while len(name) < max_length:
        logits = model(torch.tensor([context]))[0]
        if temperature == 0:
            i = int(logits.argmax())
        else:
            i = int(torch.multinomial(F.softmax(logits / temperature, dim=-1), 1, generator=generator))
        if i == 0:
            break
        name += ALPHABET[i]
        context = [i] + context[:-1]
    model.train(was_training)
    return name

# %% wrong: does not stop at the dot
# told: stop at a 0
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    """Draw one name, letter by letter.

    model: (1, context_size) ids -> logits (1, 27); temperature: a number >= 0; generator: torch.Generator or None
    returns: str of at most max_length letters
    """
    was_training = model.training
    model.eval()
    context, name = [0] * context_size, ""
    while len(name) < max_length:
        logits = model(torch.tensor([context]))[0]
        if temperature == 0:
            i = int(logits.argmax())
        else:
            i = int(torch.multinomial(F.softmax(logits / temperature, dim=-1), 1, generator=generator))
        name += ALPHABET[i]
        context = context[1:] + [i]
    model.train(was_training)
    return name

# %% wrong: one letter more than max_length
# told: One letter too many
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    """Draw one name, letter by letter.

    model: (1, context_size) ids -> logits (1, 27); temperature: a number >= 0; generator: torch.Generator or None
    returns: str of at most max_length letters
    """
    was_training = model.training
    model.eval()
    context, name = [0] * context_size, ""
    while len(name) <= max_length:
        logits = model(torch.tensor([context]))[0]
        if temperature == 0:
            i = int(logits.argmax())
        else:
            i = int(torch.multinomial(F.softmax(logits / temperature, dim=-1), 1, generator=generator))
        if i == 0:
            break
        name += ALPHABET[i]
        context = context[1:] + [i]
    model.train(was_training)
    return name

# %% wrong: ignores the generator
# told: The generator is not used
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
            ix = torch.multinomial(probs, num_samples=1).item()
        if ix == 0:
            break
        context = context[1:] + [ix]
        out.append(ALPHABET[ix])
    model.train(training)
    return "".join(out)

# %% wrong: argmax below 1
# told: At temperatures below 1 you take the most likely letter
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    training = model.training
    model.eval()
    context, out = [0] * context_size, []
    while len(out) < max_length:
        logits = model(torch.tensor([context])).squeeze(0)
        if temperature < 1:
            ix = logits.argmax().item()
        else:
            probs = F.softmax(logits / temperature, dim=0)
            ix = torch.multinomial(probs, num_samples=1, generator=generator).item()
        if ix == 0:
            break
        context = context[1:] + [ix]
        out.append(ALPHABET[ix])
    model.train(training)
    return "".join(out)

# %% wrong: skips a dot at the start
# told: No name is empty here
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
            ix = torch.multinomial(probs, num_samples=1, generator=generator).item()
        if ix == 0 and not out:
            continue
        if ix == 0:
            break
        context = context[1:] + [ix]
        out.append(ALPHABET[ix])
    model.train(training)
    return "".join(out)

# %% wrong: forbids the dot at the start
# told: No name is empty here
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    training = model.training
    model.eval()
    context, out = [0] * context_size, []
    while len(out) < max_length:
        logits = model(torch.tensor([context])).squeeze(0).clone()
        if not out:
            logits[0] = -float('inf')
        if temperature == 0:
            ix = logits.argmax().item()
        else:
            probs = F.softmax(logits / temperature, dim=0)
            ix = torch.multinomial(probs, num_samples=1, generator=generator).item()
        if ix == 0:
            break
        context = context[1:] + [ix]
        out.append(ALPHABET[ix])
    model.train(training)
    return "".join(out)

# %% wrong: switches gradients off for good
# told: You switched gradients off for the whole notebook
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    torch.set_grad_enabled(False)
    training = model.training
    model.eval()
    context, out = [0] * context_size, []
    while len(out) < max_length:
        logits = model(torch.tensor([context])).squeeze(0)
        if temperature == 0:
            ix = logits.argmax().item()
        else:
            probs = F.softmax(logits / temperature, dim=0)
            ix = torch.multinomial(probs, num_samples=1, generator=generator).item()
        if ix == 0:
            break
        context = context[1:] + [ix]
        out.append(ALPHABET[ix])
    model.train(training)
    return "".join(out)

# %% wrong: seeds the generator again
# told: does the generator start anew for each name
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    training = model.training
    model.eval()
    generator = generator and generator.manual_seed(0)
    context, out = [0] * context_size, []
    while len(out) < max_length:
        logits = model(torch.tensor([context])).squeeze(0)
        if temperature == 0:
            ix = logits.argmax().item()
        else:
            probs = F.softmax(logits / temperature, dim=0)
            ix = torch.multinomial(probs, num_samples=1, generator=generator).item()
        if ix == 0:
            break
        context = context[1:] + [ix]
        out.append(ALPHABET[ix])
    model.train(training)
    return "".join(out)

# %% wrong: do-while
# told: One letter too many
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    training = model.training
    model.eval()
    context, out = [0] * context_size, []
    while True:
        logits = model(torch.tensor([context])).squeeze(0)
        if temperature == 0:
            ix = logits.argmax().item()
        else:
            probs = F.softmax(logits / temperature, dim=0)
            ix = torch.multinomial(probs, num_samples=1, generator=generator).item()
        if ix == 0:
            break
        context = context[1:] + [ix]
        out.append(ALPHABET[ix])
        if len(out) >= max_length:
            break
    model.train(training)
    return "".join(out)

# %% wrong: context grows
# told: Your context grows
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
            ix = torch.multinomial(probs, num_samples=1, generator=generator).item()
        if ix == 0:
            break
        context = context + [ix]
        out.append(ALPHABET[ix])
    model.train(training)
    return "".join(out)

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

# %% wrong: a temperature of at least a hundredth
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    was_training = model.training
    model.eval()
    context, name = [0] * context_size, ""
    while len(name) < max_length:
        logits = model(torch.tensor([context]))[0]
        if temperature == 0:
            i = int(logits.argmax())
        else:
            shares = F.softmax(logits / max(temperature, 0.01), dim=-1)
            i = int(torch.multinomial(shares, 1, generator=generator))
        if i == 0:
            break
        name += ALPHABET[i]
        context = context[1:] + [i]
    model.train(was_training)
    return name
