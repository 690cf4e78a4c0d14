# attack: floods the channel with frames that nobody asked for: small, huge, nested, not JSON, endless numbers
# points: none
# must not: use up the grader's memory or time, or stop the batch
# ordinary: yes

# %% row_stats
import json, os, socket, struct
number = next(n for n in range(3, 256) if os.path.islink(f"/proc/self/fd/{n}") and "socket" in os.readlink(f"/proc/self/fd/{n}"))
line = socket.socket(fileno=os.dup(number))
for text in (b"{}", b'{"did": 1}', b'{"answer": "x", "token": "0"}'):
    for _ in range(200):
        line.sendall(struct.pack(">II", len(text), 0) + text)
for text in (b'{"a":' + b"[" * 500 + b"]" * 500 + b"}", b'{"a":' + b'[' * 900 + b"]" * 900 + b"}", b'{"a": 1e999999, "b": NaN}', b'{"a": "\\ud800"}'):
    line.sendall(struct.pack(">II", len(text), 0) + text)
line.sendall(struct.pack(">II", 2, 1 << 26) + b"{}" + bytes(1 << 26))

# %% layer_norm
line.sendall(struct.pack(">II", 0xFFFFFFFF, 0xFFFFFFFF) + b"x" * 100)
