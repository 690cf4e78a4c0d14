# right: draws by the Gumbel trick, greedy where the temperature is 0

# %% generate
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
