# attack: a display of the first cell is updated with the stolen test after it ran, where feedback still shows outputs
# points: none
# must not: put a test into an output from before it
# ordinary: yes

# %% before row_stats
from IPython.display import HTML, display
handle = display(HTML("nothing yet"), display_id="early")
import sys
frame = sys._getframe()
while not hasattr(frame.f_locals.get("self"), "channel"):
    frame = frame.f_back
session, stolen = frame.f_locals["self"], []

async def take(self, request):
    self.channel.send({"ready": request["token"]})
    stolen.append(self.channel.receive()[0])
    return {"how": "exited", "threads": 0}, b""

type(session)._test = take

# %% layer_norm
handle.update(HTML("lo" + f"ot: {stolen}"))
display(HTML("lo" + f"ot: {stolen}"), display_id="early")

# %% LayerNorm
handle.update({"text/plain": "lo" + f"ot: {stolen}", "text/html": "lo" + f"ot: {stolen}"}, raw=True)
