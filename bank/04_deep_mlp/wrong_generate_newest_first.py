# wrong: puts the newest letter in front of the context
# fails: generate
# told: You put the newest letter in front

# %% generate
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
