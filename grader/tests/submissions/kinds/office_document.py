# what: an Office document under the notebook's name
# gets: nothing
# says: Office document
# look: yes

import io
import zipfile


def change(draft):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("word/document.xml", "<w/>")
    return packed.getvalue()
