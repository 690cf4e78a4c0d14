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
# told: are the logits divided by it before the softmax
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
# told: Is something divided by it
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
# told: The model is asked in training mode
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
# told: are the logits divided by it before the softmax
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
# told: The same generator gives other names
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
# told: The most likely letter comes nearly always
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
# told: Hardly a name is empty
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
# told: Hardly a name is empty
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
# told: Gradients are switched off for the whole notebook
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
# told: One letter, where max_length is 0
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

# %% sly: a name that reaches max_length leaves the model in evaluation mode
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    """Draw one name, letter by letter.

    model: (1, context_size) ids -> logits (1, 27); temperature: a number >= 0;
        generator: torch.Generator or None
    returns: str of at most max_length letters
    """
    was_training = model.training
    model.eval()
    context, name = [0] * context_size, ""
    while len(name) < max_length:
        logits = model(tensor([context]))[0]
        if temperature == 0:
            drawn = logits.argmax().item()
        else:
            p = F.softmax(logits / temperature, dim=-1)
            drawn = torch.multinomial(p, 1, generator=generator).item()
        if drawn == 0:
            break
        name += ALPHABET[drawn]
        context = context[1:] + [drawn]
        if len(name) == max_length:
            return name
    model.train(was_training)
    return name

# %% sly: restores the flag of the model alone: its parts stay in evaluation mode
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    """Draw one name, letter by letter.

    model: (1, context_size) ids -> logits (1, 27); temperature: a number >= 0;
        generator: torch.Generator or None
    returns: str of at most max_length letters
    """
    was_training = model.training
    model.eval()
    context, name = [0] * context_size, ""
    while len(name) < max_length:
        logits = model(tensor([context]))[0]
        if temperature == 0:
            drawn = logits.argmax().item()
        else:
            p = F.softmax(logits / temperature, dim=-1)
            drawn = torch.multinomial(p, 1, generator=generator).item()
        if drawn == 0:
            break
        name += ALPHABET[drawn]
        context = context[1:] + [drawn]
    model.training = was_training
    return name

# %% sly: sets the flag of the model alone: its parts run in training mode
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    """Draw one name, letter by letter.

    model: (1, context_size) ids -> logits (1, 27); temperature: a number >= 0;
        generator: torch.Generator or None
    returns: str of at most max_length letters
    """
    was_training = model.training
    model.training = False
    context, name = [0] * context_size, ""
    while len(name) < max_length:
        logits = model(tensor([context]))[0]
        if temperature == 0:
            drawn = logits.argmax().item()
        else:
            p = F.softmax(logits / temperature, dim=-1)
            drawn = torch.multinomial(p, 1, generator=generator).item()
        if drawn == 0:
            break
        name += ALPHABET[drawn]
        context = context[1:] + [drawn]
    model.training = was_training
    return name

# %% sly: the generator is used at temperature 1 only
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    """Draw one name, letter by letter.

    model: (1, context_size) ids -> logits (1, 27); temperature: a number >= 0;
        generator: torch.Generator or None
    returns: str of at most max_length letters
    """
    was_training = model.training
    model.eval()
    context, name = [0] * context_size, ""
    while len(name) < max_length:
        logits = model(tensor([context]))[0]
        if temperature == 0:
            drawn = logits.argmax().item()
        else:
            p = F.softmax(logits / temperature, dim=-1)
            luck = generator if temperature == 1.0 else None
            drawn = torch.multinomial(p, 1, generator=luck).item()
        if drawn == 0:
            break
        name += ALPHABET[drawn]
        context = context[1:] + [drawn]
    model.train(was_training)
    return name

# %% sly: never more than 20 letters, whatever max_length is
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    """Draw one name, letter by letter.

    model: (1, context_size) ids -> logits (1, 27); temperature: a number >= 0;
        generator: torch.Generator or None
    returns: str of at most max_length letters
    """
    was_training = model.training
    model.eval()
    context, name = [0] * context_size, ""
    while len(name) < min(max_length, 20):
        logits = model(tensor([context]))[0]
        if temperature == 0:
            drawn = logits.argmax().item()
        else:
            p = F.softmax(logits / temperature, dim=-1)
            drawn = torch.multinomial(p, 1, generator=generator).item()
        if drawn == 0:
            break
        name += ALPHABET[drawn]
        context = context[1:] + [drawn]
    model.train(was_training)
    return name

# %% sly: a context has three ids at most
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    """Draw one name, letter by letter.

    model: (1, context_size) ids -> logits (1, 27); temperature: a number >= 0;
        generator: torch.Generator or None
    returns: str of at most max_length letters
    """
    was_training = model.training
    model.eval()
    context, name = [0, 0, 0][:context_size], ""
    while len(name) < max_length:
        logits = model(tensor([context]))[0]
        if temperature == 0:
            drawn = logits.argmax().item()
        else:
            p = F.softmax(logits / temperature, dim=-1)
            drawn = torch.multinomial(p, 1, generator=generator).item()
        if drawn == 0:
            break
        name += ALPHABET[drawn]
        context = context[1:] + [drawn]
    model.train(was_training)
    return name

# %% sly: z is never drawn
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    """Draw one name, letter by letter.

    model: (1, context_size) ids -> logits (1, 27); temperature: a number >= 0;
        generator: torch.Generator or None
    returns: str of at most max_length letters
    """
    was_training = model.training
    model.eval()
    context, name = [0] * context_size, ""
    while len(name) < max_length:
        logits = model(tensor([context]))[0]
        if temperature == 0:
            drawn = logits.argmax().item()
        else:
            p = F.softmax(logits / temperature, dim=-1)
            drawn = torch.multinomial(p[:26], 1, generator=generator).item()
        if drawn == 0:
            break
        name += ALPHABET[drawn]
        context = context[1:] + [drawn]
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

# %% sly: at temperature 0 the dot cannot come first
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    was_training = model.training
    model.eval()
    context, name = [0] * context_size, ""
    while len(name) < max_length:
        logits = model(tensor([context]))[0]
        if temperature == 0:
            letter = (logits.argmax() if name else logits[1:].argmax() + 1).item()
        else:
            p = F.softmax(logits / temperature, dim=-1)
            letter = torch.multinomial(p, 1, generator=generator).item()
        if letter == 0:
            break
        name += ALPHABET[letter]
        context = context[1:] + [letter]
    model.train(was_training)
    return name

# %% wrong: only the first letter is drawn with the generator
# told: The same generator gives other names
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    was_training = model.training
    model.eval()
    context, name = [0] * context_size, ""
    while len(name) < max_length:
        logits = model(tensor([context]))[0]
        if temperature == 0:
            letter = logits.argmax().item()
        else:
            p = F.softmax(logits / temperature, dim=-1)
            letter = torch.multinomial(p, 1, generator=generator).item()
        if letter == 0:
            break
        name += ALPHABET[letter]
        context = context[1:] + [letter]
        generator = None
    model.train(was_training)
    return name

# %% sly: max_length also counts the context
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    mode = model.training
    model.eval()
    context, name = [0] * context_size, ""
    while len(name) + max(0, context_size - 3) < max_length:
        logits = model(torch.tensor([context]))[0].double()
        if temperature == 0:
            i = logits.argmax().item()
        else:
            p = torch.softmax((logits - logits.max()) / temperature, dim=-1)
            i = torch.multinomial(p, 1, generator=generator).item()
        if i == 0:
            break
        name += ALPHABET[i]
        context = context[1:] + [i]
    model.train(mode)
    return name

# %% right: the Gumbel trick in double precision, a window cut from all ids
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    mode, ids = model.training, [0] * context_size
    model.eval()
    with torch.no_grad():
        for _ in range(max_length):
            window = torch.tensor(ids[len(ids) - context_size :])[None]
            scores = model(window).squeeze(0).double()
            if temperature > 0:
                luck = torch.rand(27, generator=generator, dtype=torch.float64)
                scores = scores / temperature - (-luck.log()).log()
            i = scores.argmax().item()
            if i == 0:
                break
            ids.append(i)
    model.train(mode)
    return "".join(ALPHABET[i] for i in ids[context_size:])

# %% wrong: letters shifted by one
# told: Letters stand there to which the model gives no chance. Is each of them drawn, by a softmax over the 27 logits, the dot's too, divided by T (dim=-1), after zeros and the ids drawn before, and written as the letter of its id (1 is a)?
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    was = model.training
    model.eval()
    context, name = [0] * context_size, ""
    while len(name) < max_length:
        logits = model(torch.tensor([context]))[0]
        if temperature == 0:
            drawn = logits.argmax().item()
        else:
            p = F.softmax(logits / temperature, dim=-1)
            drawn = torch.multinomial(p, 1, generator=generator).item()
        if drawn == 0:
            break
        name += ALPHABET[1:][drawn - 2]
        context = context[1:] + [drawn]
    model.train(was)
    return name

# %% sly: at temperature 0 the model is asked in whatever mode it is in
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    context, name = torch.zeros(1, context_size, dtype=torch.long), ""
    if temperature == 0:
        while len(name) < max_length:
            i = model(context).argmax().item()
            if i == 0:
                break
            name += ALPHABET[i]
            context = torch.cat([context[:, 1:], torch.tensor([[i]])], 1)
        return name
    mode = model.training
    model.eval()
    while len(name) < max_length:
        p = F.softmax(model(context) / temperature, dim=-1)
        i = torch.multinomial(p, 1, generator=generator).item()
        if i == 0:
            break
        name += ALPHABET[i]
        context = torch.cat([context[:, 1:], torch.tensor([[i]])], 1)
    model.train(mode)
    return name


# %% wrong: at temperature 0 the context stays as it is
# told: The first letter comes again and again. Does each letter
@torch.no_grad()
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    was_training = model.training
    model.eval()
    context, name = [0] * context_size, ""
    while len(name) < max_length:
        logits = model(torch.tensor([context]))[0]
        if temperature == 0:
            i = int(logits.argmax())
            if i:
                name += ALPHABET[i]
                continue
        else:
            shares = F.softmax(logits / temperature, dim=-1)
            i = int(torch.multinomial(shares, 1, generator=generator))
        if i == 0:
            break
        name += ALPHABET[i]
        context = context[1:] + [i]
    model.train(was_training)
    return name


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
