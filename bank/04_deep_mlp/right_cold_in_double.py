# right: very low temperatures in double precision; everything spelled out

# %% generate
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
