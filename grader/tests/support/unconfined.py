"""The probe with the confinement taken out: every attempt must succeed, or it would prove nothing
where it fails."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))

from nbseal.confine import probing, spawning, steps


def main() -> None:
    spawning.enter_worker()  # for its PID namespace, with which everything that is left behind ends
    spawning._host = spawning.Host("taken out", "taken out", "taken out")
    steps.confine = lambda confinement, *_, hand_over: (
        os.chdir(confinement.scratch),
        hand_over(os.open("/proc", os.O_RDONLY)),
    )
    steps.close_all_but = steps.silence_all_but = lambda _: None
    probing.main()


if __name__ == "__main__":
    main()
