# right: draws by a uniform number against cumulated probabilities, without the generator; recursion

# %% generate
def generate(model, context_size, temperature=1.0, max_length=20, generator=None):
    def continued(context, room):
        if room == 0:
            return ""
        with torch.no_grad():
            logits = model(context)[0].double()
        p = (logits - logits.max()) / max(temperature, 1e-8)
        p = p.exp() / p.exp().sum()
        i = min(int((p.cumsum(0) < torch.rand(1).item()).sum()), 26)
        return "" if i == 0 else ALPHABET[i] + continued(torch.cat([context[:, 1:], torch.tensor([[i]])], 1), room - 1)

    training = model.training
    model.eval()
    name = continued(torch.zeros(1, context_size, dtype=torch.int64), max_length)
    model.train(training)
    return name
