# attack: run_cell and do_execute of the kernel's shell return success without running anything
# points: none
# must not: have its replies believed

# %% row_stats
from types import SimpleNamespace
from IPython import get_ipython
import ipykernel.ipkernel as kernel
import ipykernel.zmqshell as zmqshell

fine = SimpleNamespace(success=True, error_before_exec=None, error_in_exec=None, result=None)
shell = get_ipython()
for owner in (type(shell), zmqshell.ZMQInteractiveShell):
    owner.run_cell = lambda self, *_args, **_options: fine
    owner.should_run_async = lambda self, *_args, **_options: False
shell.run_cell = lambda *_args, **_options: fine

async def do_execute(self, *_args, **_options):
    return {"status": "ok", "execution_count": 1, "user_expressions": {}, "payload": []}

kernel.IPythonKernel.do_execute = do_execute
