"""Words with which code reaches what it was not given: the interpreter, a watch, other processes.

Honest solutions have no use for them, so a cell that holds one is shown to a person (by_hand), or
has its tests run alone (sharing). The lists take no points.
"""

from __future__ import annotations

# As names: what runs a text, or reaches names by a text.
_BY_TEXT = "exec eval compile globals locals vars __import__ get_ipython breakpoint"
BY_TEXT = frozenset(_BY_TEXT.split())
# As names, attributes or modules.
_BY_TEXT_ANYWHERE = """
    importlib import_module attrgetter methodcaller Formatter pydoc runpy marshal codeop
    __dict__ __getattribute__ __builtins__ builtins
"""
_INTERPRETER = """
    gc get_objects get_referrers ctypes inspect _getframe currentframe f_back f_locals f_globals
    __code__ __globals__ __closure__ __subclasses__ __bases__ __mro__ __self__ meta_path path_hooks
    ast_transformers input_transformers_post input_transformers_cleanup run_cell
"""
_WATCH = """
    setprofile getprofile settrace addaudithook _by_hand _course_utils _C overrides _python_dispatch
    TorchFunctionMode TorchDispatchMode _pop_mode_temporarily _disable_current_modes
"""
_ELSEWHERE = """
    threading _thread concurrent multiprocessing subprocess socket fork forkpty Popen posix_spawn
    CompilationUnit jit _dynamo _inductor _export
"""
ANYWHERE = frozenset(f"{_BY_TEXT_ANYWHERE} {_INTERPRETER} {_WATCH} {_ELSEWHERE}".split())
