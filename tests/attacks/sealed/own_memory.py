# attack: searches all of its own memory for the key, hidden tests, the course's secrets and other students' work
# points: none
# must not: find anything that the worker should not have known

# %% before row_stats
import re
needles = [b"BEGIN HIDDEN " + b"TESTS\nx = sample(4, 7", b"canary-in-the-" + b"diary", b"canary-of-a-" + b"classmate", b"_course_" + b"expect('",
           b"seed=" + b"11)\\nexpect("]
found = set()
with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
    for line in maps:
        start, end, access, *_ = re.split("[- ]", line, maxsplit=3)
        if not access.startswith("r") or "[vv" in line or ".so" in line:
            continue
        try:
            memory.seek(int(start, 16))
            data = memory.read(min(int(end, 16) - int(start, 16), 64 << 20))
        except (OSError, ValueError, OverflowError):
            continue
        for needle in needles:
            at = data.find(needle)
            # what this very cell builds is in memory, too, and stands alone there
            if at >= 0 and len(data[at:at + 200].strip(b"\0")) > len(needle) + 100 and b"expect(\"" in data[at:at + 400]:
                found.add(needle)
if found:
    print("plun" + "der:", found)
