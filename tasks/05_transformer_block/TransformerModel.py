"""TransformerModel, 3 points: letters and positions -> blocks -> norm -> logits."""
import torch

task = Task("TransformerModel")
IDS = [[1, 2, 0, 2], [2, 2, 0, 1]]


def model(TransformerModel):
    return fill_(TransformerModel(vocab_size=3, max_length=4, d_model=6, n_heads=2, n_blocks=2), seed=160)


def moved(TransformerModel, change, there, training=False):
    """How far some logits move when the ids are changed."""
    net, ids = model(TransformerModel).train(training), torch.tensor(IDS)
    other = ids.clone()
    change(other)
    return (net(other) - net(ids))[there].abs().max()


def refused(net, ids):
    """The error, and whether it says both numbers."""
    try:
        net(ids)
    except Exception as error:
        numbers = ids.shape[1], net.positions.num_embeddings
        return {"error": "ValueError" if isinstance(error, ValueError) else type(error).__name__,
                "says both numbers": all(str(number) in str(error) for number in numbers)}
    return {"error": None, "says both numbers": False}


@task.probe("names and shapes of the weights", shown="TransformerModel(5, 4, 6, 2, 2).state_dict()")
def _(TransformerModel):
    return {name: list(value.shape) for name, value in TransformerModel(5, 4, 6, 2, 2).state_dict().items()}


@task.probe("n_blocks blocks, each made for itself, with n_heads heads", shown="TransformerModel(5, 4, 6, 2, 3).blocks")
def _(TransformerModel):
    blocks = TransformerModel(5, 4, 6, 2, 3).blocks
    return {"blocks": len(blocks), "different ones": len({id(block) for block in blocks}), "heads": [block.self_attn.num_heads for block in blocks]}


@task.probe("the same names have the same answers twice", at_most(1e-5),
            otherwise="It answers differently each time: does something drop features at random, or change from call to call? (torch's blocks drop "
                    "some "
            "unless you say dropout=0.0.)")
def _(TransformerModel):
    return moved(TransformerModel, lambda ids: ids, slice(None), training=True)


@task.probe("neither of the two names moves the other one's answers", at_most(1e-5),
            otherwise="Names move each other's answers: without batch_first=True your blocks would take the names for tokens. (And norms take each "
            "token alone.)")
def _(TransformerModel):
    new = torch.tensor([0, 1, 1, 2])
    return torch.stack([moved(TransformerModel, lambda ids, k=k: ids[1 - k].copy_(new), k) for k in (0, 1)]).max()


@task.probe("another last letter does not move the answers before it", at_most(1e-5),
            otherwise="Tokens see what comes after them: does each of the blocks get a mask (src_mask) in either mode, with bools that are True "
                    "everywhere "
            "above the diagonal, triu(1)? (Numbers are added to the scores: only minus infinity hides. And norms take each token alone.)")
def _(TransformerModel):
    return moved(TransformerModel, lambda ids: ids[:, 3].copy_(torch.tensor([0, 2])), (slice(None), slice(0, 3)))


@task.probe("another first letter moves the answer at the end", where("more than 0.00001", lambda moved: bool(moved > 1e-5)),
            otherwise="The first letter does not move the last answer (or that is no number). Do the blocks act, x = block(x, ...), and do the "
                    "letters reach "
            "them? Is the mask the wrong way round (True means: not to be seen), or does it hide what came before, too?")
def _(TransformerModel):
    return moved(TransformerModel, lambda ids: ids[:, 0].copy_(torch.tensor([0, 1])), (slice(None), 3))


@task.probe("the same letter at another place has another answer", where("more than 0.00001", lambda moved: bool(moved > 1e-5)),
            otherwise="A token's place has no effect: add the vector of its place, torch.arange(T), in either mode (not that of the name's number "
                    "in the batch).")
def _(TransformerModel):
    logits = model(TransformerModel)(torch.tensor([[2, 2, 2, 2]]))[0]
    return (logits[0] - logits[3]).abs().max()


@task.probe("and before any training too: the vectors of positions are not all zero", between(0.005, 3), shown="TransformerModel(27, 10, 16, 2, "
        "1).positions.weight.std()",
            otherwise="All vectors of positions are zero or alike, or nearly so. Draw them at random, as nn.Embedding does.")
def _(TransformerModel):
    return TransformerModel(27, 10, 16, 2, 1).positions.weight.std()


@task.probe("the logits of two names", drawn=True, tolerance=2e-3,
            shown=f"fill_(TransformerModel(vocab_size=3, max_length=4, d_model=6, n_heads=2, n_blocks=2), seed=160)(tensor({IDS}))")
def _(TransformerModel):
    return model(TransformerModel)(torch.tensor(IDS))


def case(heads, blocks):
    @task.probe(f"rows of 1, 4 and 7 tokens, {heads} heads, {blocks} blocks: in both modes", drawn=True, tolerance=5e-3,
                shown=f"fill_(TransformerModel(9, 7, 8, {heads}, {blocks}), seed=161)(sample_ids(9, N, T, seed=162))")
    def _(TransformerModel):
        net, found = fill_(TransformerModel(9, 7, 8, heads, blocks), seed=161), {}
        for mode, N, T in (("training", 9, 1), ("evaluation", 2, 4), ("training", 1, 7)):
            found[f"{N} names of {T} tokens in {mode}"] = net.train(mode == "training")(sample_ids(9, N, T, seed=162))
        return found


case(4, 2)
case(1, 3)


@task.probe("all weights get gradients, those of the positions too", drawn=True)
def _(TransformerModel):
    net = model(TransformerModel)
    weights = dict(net.named_parameters())
    found = torch.autograd.grad(net(torch.tensor(IDS)).square().sum(), list(weights.values()), allow_unused=True)
    return {name: one is not None and bool(one.any()) for name, one in zip(weights, found)}


for mode in ("training", "evaluation"):
    @task.probe(f"a row of six tokens is refused, in {mode}: a ValueError that says how many came, and how many positions there are")
    def _(TransformerModel, mode=mode):
        return refused(model(TransformerModel).train(mode == "training"), torch.tensor([[1, 2, 0, 2, 0, 1]]))


@task.probe("the ids and torch's settings stay as they are", [], core=False, otherwise="the call leaves something changed: the ids, or one of "
        "torch's settings")
def _(TransformerModel):
    return changes(model(TransformerModel), torch.tensor(IDS))


# %% mistakes
LAYER, X = "nn.TransformerEncoderLayer(\n", "self.embedding(ids) + self.positions(torch.arange(T, device=ids.device))"
FIRST, GELU = "                batch_first=True,\n", '                activation="gelu",\n'
LOOP = "        for block in self.blocks:\n            x = block(x, src_mask=later)\n"
END = "self.output(self.norm(x))"
INNER = "                4 * d_model,\n"
MASK = "torch.ones(T, T, device=ids.device).triu(1).bool()"
names = "Names move each other's answers: without batch_first=True your blocks would take the names for tokens."
mistake(names, {FIRST: "", ", src_mask=later": ""})
mistake(names, {FIRST: ""}, later="torch.ones(len(ids), len(ids)).triu(1).bool()")
seen = ("Tokens see what comes after them: each of the blocks needs a mask (src_mask) in either mode, with bools that are True above the diagonal, "
        "triu(1).")
mistake(seen, {", src_mask=later": ""})
mistake(seen, {"src_mask=later": "src_mask=later if self.training else None"})
mistake(seen, {"src_mask=later": "src_mask=None if self.training else later"})
mistake("The mask is the wrong way round: True means not to be seen.", {"triu(1)": "tril(-1)"})
mistake("The mask begins one place too late: every token sees the next one.", {"triu(1)": "triu(2)"})
mistake("Your mask is a float tensor, which is added to the scores: 1 hides nothing. Make it bool, or minus infinity.",
        {".triu(1).bool()": ".triu(1)"})
nan = ("This is not a number: does some token see nobody? True in a mask means not to be seen, so it stands above the diagonal. (And 0 times "
       "infinity is not a number.)")
mistake(nan, {".triu(1).bool()": '.triu(1) * float("-inf")'})
mistake(nan, {"triu(1)": "triu(0)"})
mistake("The later blocks have no mask. Each of them needs it.", {LOOP: LOOP + "            later = None\n"})
mistake("The third block and those behind it have no mask. Each of them needs it.",
        {LOOP: "        for n, block in enumerate(self.blocks):\n            x = block(x, src_mask=later if n < 2 else None)\n"})
place = "A token's place has no effect: add the vector of its place, torch.arange(T), in either mode."
mistake(place, {X: "self.embedding(ids)"})
mistake(place, {LOOP: "        if not self.training:\n            x = self.embedding(ids)\n" + LOOP})
mistake("You added the vector of the name's number in the batch. Add that of the token's place: torch.arange(T).",
        {X: "self.embedding(ids) + self.positions(torch.arange(len(ids)) % longest)[:, None]"})
mistake("Positions are counted from the end. The first token has position 0, however long the row.", {X: "self.embedding(ids) + "
        "self.positions(torch.arange(T).flip(0))"})
mistake("Positions start at 1. The first token has position 0.", {X: "self.embedding(ids) + self.positions((torch.arange(T) + 1) % longest)"})
mistake("You multiplied letters and positions. Add them.", {X: X.replace(" + ", " * ")})
mistake("You multiplied the letters by a root of d. They are added as they are.", {X: X.replace("(ids) +",
        "(ids) * self.norm.weight.numel() ** 0.5 +")})
alike = "All vectors of positions are zero or alike, or nearly so. Draw them at random, as nn.Embedding does."
OUT = "self.output = nn.Linear(d_model, vocab_size)\n"
mistake(alike, {OUT: OUT + "        nn.init.zeros_(self.positions.weight)\n"})
mistake(alike, {OUT: OUT + "        nn.init.ones_(self.positions.weight)\n"})
mistake("The positions are a table of your own. Use self.positions, an nn.Embedding(max_length, d_model).",
        {OUT: OUT + '        self.register_buffer("table", torch.zeros(max_length, d_model))\n', X: "self.embedding(ids) + self.table[:T]"})
mistake("Your blocks are post-norm. Say norm_first=True.", {"                norm_first=True,\n": ""})
mistake("Your blocks use relu, which is torch's default. Say activation='gelu'.", {GELU: ""})
mistake("It answers differently each time: torch's blocks drop some features at random unless you say dropout=0.0.",
        {"                dropout=0.0,\n": ""})
mistake("It answers differently each time: nothing is dropped at random here, outside the blocks either.", {LOOP: "        x = F.dropout(x, 0.1, "
        "self.training)\n" + LOOP})
mistake("The feed-forward network is 4 d_model wide: its default is 2048.", {INNER: ""})
mistake("The feed-forward network is 4 d_model wide.", {INNER: "                d_model,\n"})
mistake("The feed-forward network is 4 d_model wide.", {INNER: "                2 * d_model,\n"})
mistake("n_heads has no effect.", {"                n_heads,\n": "                1,\n"})
mistake("The norm behind the blocks has no effect here: pre-norm leaves the stream unnormalised.", {END: "self.output(x)"})
mistake("The norm acts before the blocks. It acts behind them.", {END: "self.output(x)", LOOP: "        x = self.norm(x)\n" + LOOP})
mistake("The norm acts behind every block. It acts once, behind the last.", {LOOP: LOOP + "            x = self.norm(x)\n", END: "self.output(x)"})
mistake("You returned probabilities. The logits are wanted: cross_entropy applies the softmax itself.", {END: END + ".softmax(-1)"})
mistake("You returned logarithms of probabilities. The logits are wanted: cross_entropy applies the softmax itself.", {END: END + ".log_softmax(-1)"})
one = "One answer a name. Every token has one: logits of shape (N, T, vocab_size)."
mistake(one, {END: END + "[:, -1]"})
mistake(one, {END: "self.output(self.norm(x).mean(1))"})
mistake("The logits stand in the wrong order: (N, T, vocab_size) is asked for.", {END: END + ".transpose(1, 2)"})
mistake("One block is used again and again. Make a new one each time.", {"nn.ModuleList(\n            nn.Trans": "nn.ModuleList([\n            "
        "nn.Trans",
        "            )\n            for _ in range(n_blocks)\n": "            )] * n_blocks\n"})
mistake("No weights have names with blocks.1: put the blocks into an nn.ModuleList, a plain list hides them from the optimiser.",
        {"nn.ModuleList(\n": "list(\n"})
mistake("Make n_blocks blocks, no more and no fewer.", {"range(n_blocks)": "range(n_blocks - 1)"})
mistake("Make n_blocks blocks, no more and no fewer.", {"range(n_blocks)": "range(n_blocks + 1)"})
mistake("One block too few acts: go through all n_blocks of them.", {"in self.blocks:": "in self.blocks[:-1]:"})
mistake("Each block gets the letters and positions. It gets what the block before it returned: x = block(x, ...).", {LOOP: LOOP.replace("x = block(x",
        "y = block(x"), END: END.replace("(x)", "(y)")})
mistake("The blocks' answers are thrown away: x = block(x, ...).", {"x = block(": "block("})
CHECK = "if T > longest:\n"
mistake("Another error than ValueError was raised, by you (an assert raises AssertionError) or by the library. Where T is above max_length, raise a "
        "ValueError "
        "before the positions are looked up.", {CHECK: "if False:\n"})
mistake("Another error than ValueError was raised, by you (an assert raises AssertionError) or by the library. Where T is above max_length, raise a "
        "ValueError "
        "before the positions are looked up.", {"raise ValueError(": "raise AssertionError("})
silent = "It answered without a word. It has vectors for max_length positions: raise a ValueError for longer rows."
mistake(silent, {CHECK: "ids = ids[:, :longest]\n        T = ids.shape[1]\n        if False:\n"})
mistake(silent, {X: X.replace("torch.arange(T, device=ids.device)", "torch.arange(T) % longest"), CHECK: "if False:\n"})
mistake("Rows that are too long are refused in one mode alone. Refuse them in both.", {CHECK: "if T > longest and self.training:\n",
        X: X.replace("torch.arange(T, device=ids.device)", "torch.arange(T).clamp(max=longest - 1)")})
mistake("Say both in the message: how many tokens came (ids.shape[1]), and how many positions there are.", {'f"a row has {T} tokens, and this model '
        'has {longest} positions: "': '"too long: "'})
mistake("A row of max_length tokens is not too long: refuse those that are longer.", {CHECK: "if T >= longest:\n"})
mistake("The number of names has no limit: compare the number of tokens, ids.shape[1].", {CHECK: "if max(ids.shape) > longest:\n"})
mistake("No gradient reaches all weights: is something cut off (detach, .data, no_grad)?", {X: X + ".detach()"})
mistake("No gradient reaches all weights: is something cut off (detach, .data, no_grad)?", {END: "self.output(self.norm(x).detach())"})
mistake("No gradient reaches all weights: is something cut off (detach, .data, no_grad)?",
        {"self.positions(torch.arange(T, device=ids.device))": "self.positions.weight.data[:T]"})
for old, new in (("positions", "position"), ("embedding", "letters"), ("norm", "ln"), ("output", "out")):
    mistake("The parts are called embedding, positions, blocks, norm and output, and nothing else is in the state_dict.",
            {f"self.{old}": f"self.{new}"})

# %% right: ARENA
class TransformerModel(nn.Module):
    def __init__(
        self, vocab_size: int, max_length: int, d_model: int, n_heads: int, n_blocks: int
    ):
        super().__init__()
        self.max_length = max_length
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            [
                nn.TransformerEncoderLayer(
                    d_model=d_model,
                    nhead=n_heads,
                    dim_feedforward=4 * d_model,
                    dropout=0.0,
                    activation="gelu",
                    batch_first=True,
                    norm_first=True,
                )
                for _ in range(n_blocks)
            ]
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        batch, seq_len = ids.shape
        if seq_len > self.max_length:
            raise ValueError(f"Got {seq_len} tokens, but there are {self.max_length} positions")
        residual = self.embedding(ids) + self.positions.weight[:seq_len]
        mask = nn.Transformer.generate_square_subsequent_mask(seq_len)
        for block in self.blocks:
            residual = block(residual, src_mask=mask, is_causal=True)
        logits = self.output(self.norm(residual))
        assert logits.shape[:2] == (batch, seq_len)
        return logits

# %% right: CS231n
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self._max_length = max_length
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        blocks = []
        for _ in range(n_blocks):
            blocks.append(
                nn.TransformerEncoderLayer(
                    d_model, n_heads, dim_feedforward=4 * d_model, dropout=0,
                    activation=F.gelu, norm_first=True, batch_first=True,
                )
            )
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N, T = ids.shape
        if T > self._max_length:
            raise ValueError(
                "sequence of %d tokens, model has %d positions" % (T, self._max_length)
            )
        positions = torch.arange(T).unsqueeze(0).expand(N, T)
        out = self.embedding(ids) + self.positions(positions)
        mask = torch.zeros(T, T).masked_fill(torch.tril(torch.ones(T, T)) == 0, float("-inf"))
        for block in self.blocks:
            out = block(out, mask)
        out = self.norm(out)
        return self.output(out)

# %% right: makemore
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        block_size, n_embd, n_head, n_layer = max_length, d_model, n_heads, n_blocks
        self.block_size = block_size
        self.embedding = nn.Embedding(vocab_size, n_embd)
        self.positions = nn.Embedding(block_size, n_embd)
        self.blocks = nn.ModuleList([nn.TransformerEncoderLayer(n_embd, n_head, 4 * n_embd, 0.0, 'gelu', batch_first=True, norm_first=True) for _ in range(n_layer)])
        self.norm = nn.LayerNorm(n_embd)
        self.output = nn.Linear(n_embd, vocab_size)

    def forward(self, idx):
        b, t = idx.size()
        if t > self.block_size:
            raise ValueError(f"Cannot forward sequence of length {t}, block size is only {self.block_size}")
        pos = torch.arange(0, t, dtype=torch.long).unsqueeze(0) # shape (1, t)
        x = self.embedding(idx) + self.positions(pos)
        mask = torch.triu(torch.full((t, t), float('-inf')), diagonal=1)
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% right: torch source
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks) -> None:
        super().__init__()
        self.max_length = max_length
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, dim_feedforward=4 * d_model, dropout=0.0,
                activation=F.gelu, layer_norm_eps=1e-5, batch_first=True, norm_first=True,
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)
        mask = torch.full((max_length, max_length), float("-inf")).triu_(1)
        self.register_buffer("mask", mask, persistent=False)
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for p in self.blocks.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        seq_len = input.size(1)
        if seq_len > self.max_length:
            raise ValueError(
                f"expected at most {self.max_length} tokens, got {seq_len}"
            )
        src = self.embedding(input) + self.positions.weight[:seq_len]
        for mod in self.blocks:
            src = mod(src, src_mask=self.mask[:seq_len, :seq_len], is_causal=True)
        return self.output(self.norm(src))

# %% right: numpy first
import numpy as np


class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.shape = vocab_size, max_length
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        make = lambda: nn.TransformerEncoderLayer(
            d_model, n_heads, 4 * d_model, 0.0, "gelu", norm_first=True, batch_first=True
        )
        self.blocks = nn.ModuleList([make() for _ in range(n_blocks)])
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        T = ids.shape[1]
        if T > self.shape[1]:
            raise ValueError("%d tokens, %d positions" % (T, self.shape[1]))
        x = self.embedding.weight[ids] + self.positions.weight[:T]
        mask = torch.from_numpy(np.triu(np.ones((T, T), dtype=bool), k=1))
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.output(self.norm(x))

# %% right: plain loops
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.max_length = max_length
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList()
        for i in range(n_blocks):
            block = nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0, activation="gelu",
                batch_first=True, norm_first=True,
            )
            self.blocks.append(block)
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        N = ids.shape[0]
        T = ids.shape[1]
        if T > self.max_length:
            raise ValueError(f"too long: {T} tokens but only {self.max_length} positions")
        mask = torch.zeros(T, T)
        for i in range(T):
            for j in range(T):
                if j > i:
                    mask[i, j] = float("-inf")
        answers = []
        for n in range(N):
            rows = []
            for t in range(T):
                rows.append(self.embedding(ids[n, t]) + self.positions(torch.tensor(t)))
            x = torch.stack(rows).unsqueeze(0)
            for block in self.blocks:
                x = block(x, src_mask=mask)
            answers.append(self.output(self.norm(x))[0])
        return torch.stack(answers)

# %% right: GELU by its tanh approximation, as task 1 allows
class TransformerModel(nn.Module):
    def __init__(self, vocab_size, max_length, d_model, n_heads, n_blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, 4 * d_model, dropout=0.0,
                activation=nn.GELU(approximate="tanh"), batch_first=True, norm_first=True,
            )
            for _ in range(n_blocks)
        )
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        T, longest = ids.shape[1], self.positions.num_embeddings
        if T > longest:
            raise ValueError(f"a row has {T} tokens, and this model has {longest} positions")
        x = self.embedding(ids) + self.positions(torch.arange(T, device=ids.device))
        later = torch.ones(T, T, device=ids.device).triu(1).bool()
        for block in self.blocks:
            x = block(x, src_mask=later)
        return self.output(self.norm(x))
