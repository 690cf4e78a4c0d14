# attack: tells the stolen test by its exit code and by the size of a frame that is refused
# points: none
# must not: have a number of its choice told to its student

# %% row_stats
import os, socket, struct, sys
frame = sys._getframe()
while not hasattr(frame.f_locals.get("self"), "channel"):
    frame = frame.f_back

async def take(self, request):
    self.channel.send({"ready": request["token"]})
    self.channel.receive()
    number = int("3405691582")  # could be four letters of the test
    os.write(self.channel.sock.fileno(), struct.pack(">II", number, 0))
    os._exit(123)

type(frame.f_locals["self"])._test = take
