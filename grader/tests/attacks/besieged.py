"""A course under attack: a class of attackers and honest students, graded together, with canaries
all around."""

import hashlib
import html
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from attacks.catalogue import Attack
from nbformat import NotebookNode
from nbseal.authoring.nbgrader_api import environment
from nbseal.course import Course

ORDINARY_USER = Path(__file__).resolve().parents[1] / "support" / "ordinary_user.py"
NOBODY = 65534
IN_FOLDER = (
    "import os, sys; os.chdir(sys.argv[1]); "
    "os.execv(sys.executable, [sys.executable, *sys.argv[2:]])"
)

DIARY = "canary-in-the-diary-5190"  # in the grader's home
CLASSMATE = "canary-of-a-classmate-8264"  # in every honest submission
OUTLIVES = "canary-that-outlives-3307"  # in the command line of processes that try to

# Short, so that attackers do not make the tests slow; cells of honest students take a tenth of it.
CELL_SECONDS = 8
LIMITS = {
    "session_seconds": 40,
    "cpu_seconds": 30,
    "memory_bytes": 1 << 30,
    "scratch_bytes": 64 << 20,
    "scratch_files": 2000,
    "file_bytes": 32 << 20,
}


@dataclass
class Outcome:
    """What grading left behind."""

    returncode: int
    said: str
    seconds: float
    cpu_seconds: float  # of the process that grades, without those in which submissions run
    memory: int  # its most, in bytes
    scores: dict[str, dict[str, float]]  # student -> graded cell -> points
    max_scores: dict[str, float]
    flagged: set[str]
    comments: dict[str, str]
    students: set[str]
    changed: list[str]  # files that grading had no business to change
    bystander_lives: bool
    survivors: list[str]
    feedback: dict[str, str] = field(default_factory=dict)  # student -> all text that came back
    outputs: dict[str, str] = field(default_factory=dict)  # student -> all outputs in autograded/
    # student -> source of a cell -> how it ended: "" or the name of its error
    ended: dict[str, dict[str, str]] = field(default_factory=dict)
    seconds_of: dict[str, float] = field(default_factory=dict)  # student -> of all its sessions
    root: str = ""  # the course's folder
    # student -> the paths of what lies beside the autograded notebook
    beside: dict[str, list[Path]] = field(default_factory=dict)

    def traces(self, student: str) -> str:
        """All that an attack can have left on the trusted side."""
        return self.outputs.get(student, "") + "\n" + self.comments.get(student, "")


class Siege:
    """A course with its students, graded by one user."""

    def __init__(self, course: Course, assignment: str, home: Path, user: str = "root"):
        self.course, self.assignment, self.home, self.user = course, assignment, home, user
        self.notebook = course.source_notebook(assignment).stem
        self.released = nbformat.read(course.released_notebook(assignment), as_version=4)
        home.mkdir(parents=True)
        (home / "diary.txt").write_text(DIARY)

    def attack(self, attack: Attack) -> None:
        folder = self.folder(attack.name)
        self._write(attack.make(self.released, folder), folder)

    def hand_in(self, student: str, notebook: NotebookNode) -> None:
        notebook.cells.append(nbformat.v4.new_code_cell(f"# {CLASSMATE}"))
        self._write(notebook, self.folder(student))

    def folder(self, student: str) -> Path:
        return self.course.root / "submitted" / student / self.assignment

    def _write(self, notebook: NotebookNode, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        nbformat.write(nbformat.from_dict(notebook), folder / f"{self.notebook}.ipynb")

    def grade(self) -> Outcome:
        """Autograde the class in parallel, then write feedback, and look what has happened."""
        with open(self.course.root / "nbgrader_config.py", "a") as config:
            config.write(
                f"\nc.SealedExecute.limits = {LIMITS!r}\nc.Execute.timeout = {CELL_SECONDS}\n"
            )
        if self.user == "ordinary" and os.geteuid() == 0:
            subprocess.run(
                ["chown", "-R", f"{NOBODY}:{NOBODY}", str(self.course.root), str(self.home)],
                check=True,
            )
        before, started = self._digests(), time.monotonic()
        bystander = self._start("-c", "import time; time.sleep(3000)")
        grading = self._start(
            "-m", "nbseal", "autograde", self.assignment, "--workers", "2", "--json", "record.json"
        )
        said, cpu, memory = self._watch(grading)
        seconds = time.monotonic() - started
        lives = bystander.poll() is None
        bystander.kill()
        bystander.wait()
        fed = self._run("-m", "nbgrader", "generate_feedback", self.assignment)
        changed = [name for name, digest in self._digests().items() if before.get(name) != digest]
        changed += [name for name in before if not Path(name).exists()]
        scores, max_scores, flagged, comments, students = self._gradebook()
        return Outcome(
            grading.returncode,
            said + fed.stderr,
            seconds,
            cpu,
            memory,
            scores,
            max_scores,
            flagged,
            comments,
            students,
            changed,
            lives,
            _survivors(),
            self._texts("feedback"),
            self._outputs(),
            self._ended(),
            self._seconds(),
            str(self.course.root),
            self._beside(),
        )

    def _command(self, *arguments: str) -> list[str]:
        if self.user != "ordinary" or os.geteuid() != 0:
            return [sys.executable, *arguments]
        # It starts in the repository, so that its way there is open.
        return [
            sys.executable,
            str(ORDINARY_USER),
            sys.executable,
            "-c",
            IN_FOLDER,
            str(self.course.root),
            *arguments,
        ]

    def _options(self) -> dict:
        return dict(cwd=self.course.root, env=environment(HOME=str(self.home), COLUMNS="200"))

    def _start(self, *arguments: str) -> subprocess.Popen:
        return subprocess.Popen(
            self._command(*arguments),
            stdout=self._log(),
            stderr=subprocess.STDOUT,
            **self._options(),
        )

    def _log(self):
        return open(self.home.parent / "said.txt", "ab")

    def _watch(self, process: subprocess.Popen) -> tuple[str, float, int]:
        """Wait for the end of grading. Returns what it said, and the CPU seconds and memory of that
        one process."""
        cpu, memory, folder = 0.0, 0, Path("/proc", str(process.pid))
        give_up = time.monotonic() + 1500
        while process.poll() is None:
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
                lines = (folder / "status").read_text().splitlines()
                memory = next(
                    (int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM")),
                    memory,
                )
            except OSError:
                pass  # it has just ended
            if time.monotonic() > give_up:
                process.kill()
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.5)
        return (self.home.parent / "said.txt").read_text(errors="replace"), cpu, memory

    def _run(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            self._command(*arguments),
            capture_output=True,
            text=True,
            timeout=900,
            **self._options(),
        )

    # What has happened

    def _digests(self) -> dict[str, str]:
        """Every file of the course and of the home that grading must leave alone."""
        ours = {
            "autograded",
            "feedback",
            "gradebook.db",
            "gradebook.db-journal",
            "record.json",
            ".nbgrader.log",
            "__pycache__",
        }
        found = {}
        for top in (self.course.root, self.home):
            for path in top.rglob("*"):
                if (
                    path.is_file()
                    and not path.is_symlink()
                    and not ours & set(path.relative_to(top).parts)
                ):
                    about = path.lstat()
                    found[str(path)] = (
                        f"{hashlib.sha256(path.read_bytes()).hexdigest()} {about.st_mode} {about.st_mtime_ns}"
                    )
        return {
            name: digest
            for name, digest in found.items()
            if "/.cache/" not in name and "/.jupyter/" not in name
        }

    def _gradebook(self):
        from nbgrader.api import Gradebook

        with Gradebook(f"sqlite:///{self.course.root / 'gradebook.db'}") as gradebook:
            scores, flagged, comments, worth = {}, set(), {}, {}
            for submission in gradebook.assignment_submissions(self.assignment):
                (notebook,) = submission.notebooks
                student = submission.student.id
                scores[student] = {grade.name: grade.score for grade in notebook.grades}
                worth |= {grade.name: grade.max_score for grade in notebook.grades}
                comments[student] = "\n".join(
                    comment.comment or "" for comment in notebook.comments
                )
                if notebook.flagged:
                    flagged.add(student)
            return scores, worth, flagged, comments, {student.id for student in gradebook.students}

    def _texts(self, step: str) -> dict[str, str]:
        texts = {}
        for folder in (self.course.root / step).glob("*"):
            pages = [
                path.read_text(errors="replace") for path in folder.rglob("*") if path.is_file()
            ]
            # colouring cuts words into pieces
            texts[folder.name] = html.unescape(re.sub(r"<[^<>]*>", "", "\n".join(pages)))
        return texts

    def _autograded(self) -> Iterator[tuple[str, list[NotebookNode]]]:
        folder = self.course.root / "autograded"
        for path in folder.glob(f"*/{self.assignment}/{self.notebook}.ipynb"):
            yield path.parts[-3], nbformat.read(path, as_version=4).cells

    def _outputs(self) -> dict[str, str]:
        return {
            student: "\n".join(str(cell.get("outputs", "")) for cell in cells)
            for student, cells in self._autograded()
        }

    def _ended(self) -> dict[str, dict[str, str]]:
        return {
            student: {
                cell.source.strip(): next(
                    (
                        f"{output.ename}: {output.evalue}"
                        for output in cell.outputs
                        if output.output_type == "error"
                    ),
                    "",
                )
                for cell in cells
                if cell.cell_type == "code"
            }
            for student, cells in self._autograded()
        }

    def _beside(self) -> dict[str, list[Path]]:
        found = {}
        for folder in (self.course.root / "autograded").glob("*"):
            top = folder / self.assignment
            found[folder.name] = [path.relative_to(top) for path in top.rglob("*")]
        return found

    def _seconds(self) -> dict[str, float]:
        record = json.loads((self.course.root / "record.json").read_text())
        return {
            one["student"]: sum(notebook["seconds"] for notebook in one["notebooks"])
            for one in record["submissions"]
        }


def _survivors() -> list[str]:
    """Command lines of processes that an attack left behind."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if OUTLIVES in line:
            found.append(line)
    return found
