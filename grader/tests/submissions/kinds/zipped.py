# what: a zip archive with the notebook in it, under the notebook's name
# gets: everything
# says: zip archive

import io
import json
import zipfile


def change(draft):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("my work/notebook.ipynb", json.dumps(draft.nb))
    return packed.getvalue()
