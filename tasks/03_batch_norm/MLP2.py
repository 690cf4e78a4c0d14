"""MLP2, 1 point: batch norm in the MLP on names."""
import torch
from torch import nn

task = Task("MLP2")
STATE = {"embedding.weight": [[1., 0.], [0., 2.], [-1., 1.]], "hidden.weight": [[1., 2., 0., 1.], [0., 1., 3., -1.]],
         "output.weight": [[1., 0.], [0., 1.], [1., -1.]], "output.bias": [0., 10., 0.]}
# the embeddings side by side: (1, 0, 0, 2), (0, 2, -1, 1), (-1, 1, 1, 0); what enters the norm: (3, -2), (5, -2), (1, 4)
CONTEXTS = [[0, 1], [1, 2], [2, 0]]


def given(MLP2, **options):
    network = MLP2(3, 2, 2, 2, **options)
    network.load_state_dict({**network.state_dict(), **{name: torch.tensor(value) for name, value in STATE.items()}})
    return network


def look(label, text, ask):
    task.probe(label, shown=f"{text}   where embedding.weight is {STATE['embedding.weight']}, hidden.weight {STATE['hidden.weight']}, "
                            f"output.weight {STATE['output.weight']} and output.bias {STATE['output.bias']}")(lambda MLP2: ask(MLP2))


def later(MLP2):
    network = given(MLP2)
    network(torch.tensor(CONTEXTS))
    return network.eval()(torch.tensor(CONTEXTS[:1]))


look("three contexts of two letters", f"MLP2(3, 2, 2, 2)(tensor({CONTEXTS}))", lambda MLP2: given(MLP2)(torch.tensor(CONTEXTS)))
look("afterwards in evaluation mode, a single context", f"network.eval()(tensor({CONTEXTS[:1]}))", later)
look("with a norm that does nothing", f"MLP2(3, 2, 2, 2, norm=lambda d_hidden: nn.Identity())(tensor({CONTEXTS}))",
     lambda MLP2: given(MLP2, norm=lambda d_hidden: nn.Identity())(torch.tensor(CONTEXTS)))


@task.probe("three letters: training mode with gradients, then evaluation mode", drawn=True, tolerance=1e-3)
def _(MLP2):
    network, contexts = fill_(MLP2(11, 3, 4, 8), seed=71), sample_ids(11, 9, 3, seed=72)
    contexts[8] = contexts[0]  # it comes twice
    out = network(contexts)
    out.square().sum().backward()
    found = {"logits": out, **{f"gradient of {name}": one.grad for name, one in sorted(network.named_parameters())}}
    network.eval()
    return {**found, "in evaluation mode": network(contexts), "a single context": network(contexts[:1])}


@task.probe("with layer norm", drawn=True, tolerance=1e-3)
def _(MLP2):
    return fill_(MLP2(11, 3, 4, 8, norm=nn.LayerNorm), seed=73)(sample_ids(11, 9, 3, seed=72))


# %% mistakes
E, H = "self.embedding(contexts).flatten(1)", "self.norm(self.hidden(embedded))"
OUT = f"self.output(torch.tanh({H}))"
mistake("The norm has no effect: is it left out, or in evaluation mode (where its running statistics are still 0 and 1)?", {H: "self.hidden(embedded)"})
mistake("The norm has no effect: is it left out, or in evaluation mode (where its running statistics are still 0 and 1)?", {H: "self.norm.eval()(self.hidden(embedded))"})
mistake("You normalised after tanh. By then it has saturated: normalise what enters it.", returns="self.output(self.norm(torch.tanh(self.hidden(embedded))))")
mistake("There is no tanh in the hidden layer.", returns=f"self.output({H})")
mistake("There is a second norm behind tanh: normalise what enters it, once.", returns=f"self.output(self.norm(torch.tanh({H})))")
mistake("This is what ReLU gives. The network has tanh there.", returns=OUT.replace("tanh", "relu"))
mistake("You returned probabilities. Return logits: the loss takes the softmax itself.", returns=f"{OUT}.softmax(-1)")
mistake("You returned log-probabilities. Return logits: the loss takes the softmax itself.", returns=f"{OUT}.log_softmax(-1)")
mistake("The bias of the output layer has no effect.", returns=f"torch.tanh({H}) @ self.output.weight.T")
mistake("The letters of the context are in the wrong order.", embedded="self.embedding(contexts).flip(1).flatten(1)")
mistake("The numbers of the embeddings are interleaved: put the whole embedding of a letter beside that of the next one.",
        embedded="self.embedding(contexts).transpose(1, 2).flatten(1)")
mistake("You normalised each example over its features: that is layer norm.", {H: "nn.functional.layer_norm(self.hidden(embedded), self.hidden.weight.shape[:1])"})
mistake("The output layer is missing: logits have one number a letter of the alphabet.", returns=f"torch.tanh({H})")
mistake("tanh is applied to the output, too: return the logits as they are.", returns=f"torch.tanh({OUT})")
mistake("The hidden layer is added behind tanh: there is no residual connection in this network.", returns=f"self.output(self.hidden(embedded) + torch.tanh({H}))")
mistake("is there a `return`? forward gives None.", returns="None")
mistake("Batch statistics in eval mode: use self.norm, which knows the mode.", {H: "(lambda h: (h - h.mean(0)) / (h.var(0, correction=0) + 1e-5).sqrt())(self.hidden(embedded))"})
mistake("Batch statistics in eval mode: use self.norm, which knows the mode.", {H: "self.norm.train()(self.hidden(embedded))"})
nothing = "The norm does nothing here: is self.norm itself used in both modes (in training its running statistics have to move), for a single context too?"
mistake(nothing, {H: "self.norm(self.hidden(embedded)) if self.training else self.hidden(embedded)"})
mistake(nothing, {H: "self.norm(self.hidden(embedded)) if len(contexts) > 1 else self.hidden(embedded)"})
mistake(nothing, {H: "nn.BatchNorm1d(self.hidden.out_features).train(self.training)(self.hidden(embedded))"})
mistake("This is what a batch norm gives, but another norm was asked for: use self.norm.",
        {H: "(self.norm if isinstance(self.norm, nn.BatchNorm1d) else nn.BatchNorm1d(self.hidden.out_features))(self.hidden(embedded))"})
mistake("Every context counts in the statistics, however often it comes.",
        {"embedded = " + E: "contexts, back = torch.unique(contexts, dim=0, return_inverse=True)\n        embedded = " + E, OUT: OUT + "[back]"})
mistake("No gradient reaches the parameters: is it cut off (detach, data, no_grad)?", returns=f"{OUT}.detach()")
mistake("No gradient reaches the embedding: is it cut off (detach, data, no_grad)?", embedded=f"{E}.detach()")

# %% right: ARENA
from torch import Tensor


class MLP2(nn.Module):
    def __init__(
        self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts: Tensor) -> Tensor:
        x = self.embedding(contexts)  # batch context d_embed
        batch, context, d_embed = x.shape
        x = x.reshape(batch, context * d_embed)
        x = self.hidden(x)
        x = self.norm(x)
        x = torch.tanh(x)
        logits = self.output(x)
        assert logits.shape[0] == contexts.shape[0]
        return logits

# %% right: CS231n
class MLP2(nn.Module):
    def __init__(
        self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        N = contexts.shape[0]
        emb = self.embedding(contexts)
        affine1 = self.hidden(emb.reshape(N, -1))
        normed = self.norm(affine1)
        h = torch.tanh(normed)
        scores = self.output(h)
        return scores

# %% right: makemore
class MLP2(nn.Module):
    def __init__(
        self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, Xb):
        emb = self.embedding.weight[Xb] # embed the characters into vectors
        embcat = emb.view(emb.shape[0], -1) # concatenate the vectors
        hpreact = self.hidden(embcat)
        h = torch.tanh(self.norm(hpreact))
        return h @ self.output.weight.T + self.output.bias

# %% right: torch source
class MLP2(nn.Module):
    def __init__(
        self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, input):
        x = F.embedding(input, self.embedding.weight)
        x = torch.flatten(x, start_dim=1)
        x = F.linear(x, self.hidden.weight)
        x = torch.tanh(self.norm(x))
        return F.linear(x, self.output.weight, self.output.bias)

# %% right: numpy first
class MLP2(nn.Module):
    def __init__(
        self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        letters = [self.embedding(contexts[:, i]) for i in range(contexts.shape[1])]
        side_by_side = torch.concatenate(letters, axis=1)
        z = self.hidden(side_by_side)
        return self.output(torch.tanh(self.norm(z)))

# %% right: plain loops
class MLP2(nn.Module):
    def __init__(
        self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        rows = []
        for context in contexts:
            row = []
            for letter in context:
                row.append(self.embedding(letter))
            rows.append(torch.cat(row))
        x = torch.stack(rows)
        x = self.hidden(x)
        x = self.norm(x)
        x = torch.tanh(x)
        x = self.output(x)
        return x

# %% right: view and named steps in the MLP
class MLP2(nn.Module):

    def __init__(self, vocab_size, context_size, d_embed, d_hidden, norm=nn.BatchNorm1d):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_embed)
        self.hidden = nn.Linear(context_size * d_embed, d_hidden, bias=False)
        self.norm = norm(d_hidden)
        self.output = nn.Linear(d_hidden, vocab_size)

    def forward(self, contexts):
        N, T = contexts.shape
        e = self.embedding(contexts)
        e = e.view(N, T * e.shape[-1])
        pre = self.norm(self.hidden(e))
        e2 = torch.exp(-2 * pre)
        h = (1 - e2) / (1 + e2)
        return h @ self.output.weight.t() + self.output.bias
