# attack: fills the disk with large files, small files, sparse files, deep folders and long names
# points: none
# must not: fill the disk or have it all copied to autograded/

# %% row_stats
import os
for number in range(100):
    try:
        with open(f"/tmp/large{number}", "wb") as file:
            for _ in range(32):
                file.write(bytes(1 << 20))
        with open(f"sparse{number}", "wb") as file:
            file.truncate(1 << 40)
    except OSError:
        break
try:
    for number in range(100_000):
        open(f"/dev/shm/small{number}", "w").close()
except OSError:
    pass
try:
    for depth in range(300):
        os.mkdir("d" * 50)
        os.chdir("d" * 50)
except OSError:
    pass
