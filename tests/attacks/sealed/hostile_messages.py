# attack: displays with wrong types, nested bundles, pictures that are none, HTML and scripts, half surrogates
# points: none
# must not: break the writing of the notebook or of feedback for anybody else

# %% row_stats
from IPython import get_ipython
from IPython.display import display
for bundle in ({"image/png": "no picture"}, {"image/svg+xml": "<svg onload='alert(1)'>"}, {"text/html": "</pre></div></html><script>1</script>"},
               {"application/json": float("nan")}, {"text/plain": ["a"] * 100}, {"text/latex": "$\\input{/etc/passwd}$"}, {"text/markdown": "![](file:///etc/passwd)"},
               {"x" * 5000: "strange"}, {"text/plain": "\ud800"}, {"application/vnd.jupyter.widget-view+json": {"model_id": 5}}, {"image/jpeg": 5}, {}):
    display(bundle, raw=True, metadata={"image/png": {"width": "1<script>"}, "isolated": True})
publish = get_ipython().display_pub
for content in ({"data": None}, {"data": 5, "metadata": 6}, {}, {"name": "stdout"}, {"name": "\x00", "text": 5}, {"execution_count": {}, "data": {"text/plain": "x"}}):
    for kind in ("stream", "display_data", "execute_result", "error", "clear_output", "update_display_data", "comm_open", "comm_msg", "comm_close", "status"):
        publish.session.send(None, kind, content)

# %% layer_norm
class X(Exception): pass
X.__name__ = "</pre><script>1</script>\ud800\x00"
raise X("<img src=x onerror=1>\x00\ud800" * 1000)
