"""Archives as students pack them, and downloads as systems make them of what students packed."""

import io
import tarfile
import zipfile

from support.lms import canvas_name, gradescope_export, moodle_name

SYSTEM_TIME = (2026, 3, 9, 12, 0, 0)


def zipped(files, time=(2026, 3, 1, 12, 0, 0), kind=zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", kind) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, time), content, kind)
    return packed.getvalue()


def tarred(files, mode="w", **attributes) -> bytes:
    """attributes: of every member, such as type or mtime."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode, format=tarfile.PAX_FORMAT) as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            for key, value in attributes.items():
                setattr(info, key, value)
            archive.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def delivered(
    system: str, handed_in: dict[str, dict[str, bytes]], people: dict
) -> dict[str, bytes]:
    """What a system packs of {student: {name: content}}; people: id -> full name and number."""
    found = {}
    for place, (who, files) in enumerate(handed_in.items()):
        full, number = people[who]
        for name, content in files.items():
            if system == "moodle":
                path = moodle_name(full, place + 1, name)
            elif system == "moodle, flat":
                path = moodle_name(full, place + 1, name.replace("/", "_"), folders=False)
            elif system == "canvas":
                sortable = ", ".join(reversed(full.split(" ")))
                path = canvas_name(sortable, number, 800 + place, name)
            elif system == "blackboard":
                path = f"HW 1_{who}_attempt_2026-03-09-12-00-00_{name.replace('/', '_')}"
            elif system == "gradescope":
                path = f"assignment_7_export/submission_{50 + place}/{name}"
            else:
                path = f"{who}/{name}"
            found[path] = content
    if system == "gradescope":
        rows = {
            50 + place: [{"email": f"{who}@example.org"}] for place, who in enumerate(handed_in)
        }
        table = gradescope_export(rows, b"", "2026-03-09 12:00:00 +00:00")
        path = "assignment_7_export/submission_metadata.yml"
        found[path] = table[path]
    return found
