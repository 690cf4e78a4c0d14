"""A JupyterHub with an instructor and a student, each an ordinary user of Unix: how long does each
step of an assignment take?

    .venv/bin/python -m venv FOLDER/venv
    FOLDER/venv/bin/pip install jupyterhub==6.1.1
    npm install --prefix FOLDER configurable-http-proxy@5.3.0
    sudo .venv/bin/python -m tools.hub FOLDER --pictures PICTURES

Everything is done in a browser, as people do it: release, fetch, submit, collect, autograde, and
feedback returned, fetched and read. A hub starts servers of other users, so it takes root; users
and homes exist for this process alone, in mounts of its own. Users' servers are those of this
environment, to whose path JupyterHub is added at the end: nothing is installed into it.
"""

import argparse
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "grader" / "tests"))

from nbgrader.api import Gradebook
from nbseal.authoring import scratch_course
from nbseal.authoring.nbgrader_api import environment
from nbseal.confine import kernel
from nbseal.course import Course
from nbseal.notebook import files
from selenium.webdriver import ActionChains
from support.ordinary_user import open_the_way

from tests.screens.browser import CHROMIUM, DRIVER, Browser, chromium
from tests.screens.formgrader import Formgrader
from tools.answers import build_submission, find_answer

ASSIGNMENT, NOTEBOOK = "02_layer_norm", "layer_norm"
SOLUTION = "layer_norm-wrong-you-divided-by-d-1-in-the"
TEACHER, STUDENT = "teacher", "mia"
USERS, GROUP = {TEACHER: 61001, STUDENT: 61002}, 65534
HUB, PROXY = "venv/bin/jupyterhub", "node_modules/.bin/configurable-http-proxy"
PATIENCE = 120  # seconds for a server to answer


def what_is_missing(folder: Path) -> str | None:
    """Why a hub cannot be started here, in a sentence."""
    if os.geteuid() != 0:
        return "a hub starts servers of other users: run this as root"
    if not ((folder / HUB).exists() and (folder / PROXY).exists()):
        return f"{folder} has no {HUB} or no {PROXY}: tools/hub.py says how to get them"
    if not CHROMIUM or not DRIVER:
        return "chromium and chromedriver are not installed"
    return None


def add_users(private: Path) -> None:
    """Two users with homes, for this process and what it starts."""
    table = private / "passwd"
    rows = [f"{name}:x:{uid}:{GROUP}::{private / name}:/bin/bash\n" for name, uid in USERS.items()]
    table.write_text(Path("/etc/passwd").read_text() + "".join(rows))
    kernel.mount(str(table), "/etc/passwd", flags=kernel.MS_BIND)
    for name in USERS:
        (private / name).mkdir()


def write_config(file: Path, settings: dict[str, object]) -> None:
    lines = [f"c.{name} = {value!r}\n" for name, value in settings.items()]
    file.write_text("c = get_config()\n" + "".join(lines))


def furnish(real: Course, private: Path) -> None:
    """The course in the instructor's home, an exchange for everybody, nbgrader's configuration."""
    exchange, home = private / "exchange", private / TEACHER
    exchange.mkdir()
    exchange.chmod(0o777)
    course = scratch_course.make(real, ASSIGNMENT, home / "course")
    with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}") as gradebook:
        gradebook.add_student(STUDENT, first_name="Mia", last_name="Keller")
    (private / "etc").mkdir()
    (home / ".jupyter").mkdir()
    common = {"CourseDirectory.course_id": "deep-networks", "Exchange.root": str(exchange)}
    own = {"CourseDirectory.root": str(course.root)}
    write_config(private / "etc" / "nbgrader_config.py", common)
    write_config(home / ".jupyter" / "nbgrader_config.py", own)
    for name, uid in USERS.items():
        subprocess.run(["chown", "-R", f"{uid}:{GROUP}", str(private / name)], check=True)


@contextmanager
def running_hub(folder: Path, private: Path, password: str) -> Iterator[str]:
    """The hub's address, as long as the block lasts."""
    path = private / "path"
    path.mkdir()
    [packages] = (folder / "venv" / "lib").glob("python*/site-packages")
    (path / "sitecustomize.py").write_text(f"import sys\nsys.path.append({str(packages)!r})\n")
    address = f"http://127.0.0.1:{free_port()}"
    config = private / "jupyterhub_config.py"
    config.touch(0o600)  # it holds the password
    for_users = {"PYTHONPATH": str(path), "JUPYTER_CONFIG_PATH": str(private / "etc")}
    settings = {
        "JupyterHub.bind_url": address,
        "JupyterHub.hub_port": free_port(),
        "JupyterHub.authenticator_class": "dummy",
        "ConfigurableHTTPProxy.command": [str(folder / PROXY)],
        "ConfigurableHTTPProxy.api_url": f"http://127.0.0.1:{free_port()}",
        "DummyAuthenticator.password": password,
        "Authenticator.allowed_users": set(USERS),
        "Spawner.cmd": [sys.executable, "-m", "jupyterhub.singleuser"],
        "Spawner.environment": for_users,
        "Spawner.start_timeout": PATIENCE,
        "Spawner.http_timeout": PATIENCE,
    }
    write_config(config, settings)
    command = [str(folder / HUB), "-f", str(config)]
    with (
        open(private / "hub.log", "w") as log,
        subprocess.Popen(command, cwd=private, stdout=log, stderr=log, env=environment()) as hub,
    ):
        try:
            until_it_answers(address, hub)
            yield address
        finally:
            hub.terminate()


def free_port() -> int:
    """One that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until_it_answers(address: str, hub: subprocess.Popen) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and hub.poll() is None:
        with suppress(OSError), urlopen(f"{address}/hub/api"):
            return
        time.sleep(0.2)
    raise AssertionError(f"the hub did not start in {PATIENCE} s")


class Person:
    """A user at a browser. What they do is timed, and a picture of it taken."""

    def __init__(self, name: str, browser: Browser, hub: str, pictures: Path):
        self.name, self.browser, self._pictures = name, browser, pictures
        self._hub, self.server = hub, f"{hub}/user/{name}"

    def does(self, what: str, step: Callable[..., object], *arguments: str) -> None:
        started = time.monotonic()
        step(*arguments)
        seconds = time.monotonic() - started
        print(f"{f'{self.name} {what}':40} {seconds:6.1f} s", flush=True)
        number = len(list(self._pictures.glob("*.png"))) + 1
        self.browser.screenshot(self._pictures / f"{number:02}.png")

    def log_in(self, password: str) -> None:
        """Until JupyterLab is there."""
        self.browser.open(f"{self._hub}/hub/login?next=/hub/spawn")
        self.browser.see("#username_input").send_keys(self.name)
        self.browser.see("#password_input").send_keys(password)
        self.browser.click("#login_submit")
        self.browser.see(".lm-MenuBar-item", "Nbgrader")

    def press(self, where: str, button: str, then: str, shown: str) -> None:
        """A button in a part of the Assignment List, until another part shows something."""
        self.browser.click(f"#{where}_assignments_list button", button)
        self.browser.see(f"#{then}_assignments_list .list_item", shown)

    def open_feedback(self) -> None:
        """By the link in the Assignment List, and the file in the folder that it leads to; formulas
        are set where the reader trusts it."""
        self.browser.click("#submitted_assignments_list a", "view feedback")
        page = self.browser.see(".jp-DirListing-item", f"{NOTEBOOK}.html")
        ActionChains(self.browser.driver).double_click(page).perform()
        self.browser.enter_frame(".jp-HTMLViewer iframe")
        self.browser.see("body", "You divided by D - 1")
        self.browser.see("body", "press Trust HTML")
        self.browser.leave_frame()
        self.browser.click(".jp-Toolbar button, .jp-Toolbar jp-button", "Trust HTML")
        self.browser.enter_frame(".jp-HTMLViewer iframe")
        self.browser.see("mjx-container svg")
        self.browser.leave_frame()


def week(real: Course, private: Path, password: str, teacher: Person, student: Person) -> None:
    """An assignment, from release to feedback."""
    teacher.does("logs in", teacher.log_in, password)
    # not in JupyterLab: a hub's servers let nobody put them into a frame
    teacher.browser.open(f"{teacher.server}/formgrader/manage_assignments")
    formgrader = Formgrader(teacher.browser)
    teacher.does("releases", formgrader.press, ASSIGNMENT, "release")

    student.does("logs in", student.log_in, password)
    student.browser.click(".lm-MenuBar-item", "Nbgrader")
    student.browser.click(".lm-Menu-item", "Assignment List")
    student.does("fetches", student.press, "released", "Fetch", "fetched", ASSIGNMENT)
    solved = build_submission(real, find_answer(real, ASSIGNMENT, SOLUTION))
    files.write(solved, private / STUDENT / ASSIGNMENT / f"{NOTEBOOK}.ipynb")
    student.does("submits", student.press, "fetched", "Submit", "submitted", ASSIGNMENT)

    teacher.does("collects", formgrader.press, ASSIGNMENT, "collect")
    teacher.browser.click(f"{formgrader.row(ASSIGNMENT)} .num-submissions a")
    teacher.browser.see(formgrader.row(STUDENT), "needs autograding")
    teacher.does("autogrades", formgrader.press, STUDENT, "autograde")
    teacher.browser.see(f"{formgrader.row(STUDENT)} .score", "16 / 18")
    teacher.does("makes feedback", formgrader.press, STUDENT, "generate-feedback")
    teacher.does("returns feedback", formgrader.press, STUDENT, "release-feedback")

    fetch = ("submitted", "Fetch Feedback", "submitted", "view feedback")
    student.does("fetches feedback", student.press, *fetch)
    student.does("opens it in JupyterLab", student.open_feedback)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where JupyterHub and its proxy are")
    parser.add_argument(
        "--pictures", type=Path, required=True, help="an empty folder for what is seen"
    )
    given = parser.parse_args()
    folder = given.folder.resolve()
    if problem := what_is_missing(folder):
        sys.exit(problem)
    places = (
        Path(os.path.realpath(place)) for place in (sys.base_prefix, sys.prefix, ROOT, folder)
    )
    open_the_way(*places)
    private = Path(tempfile.mkdtemp(prefix="hub-"))
    private.chmod(0o755)
    pictures = given.pictures.resolve()
    pictures.mkdir(parents=True, exist_ok=True)
    real, password = Course.at(ROOT), secrets.token_hex(16)
    add_users(private)
    furnish(real, private)
    try:
        with running_hub(folder, private, password) as address, ExitStack() as stack:
            people = []
            for name in USERS:
                browser = chromium(Path(tempfile.mkdtemp(dir=private)))
                people.append(Person(name, stack.enter_context(browser), address, pictures))
            week(real, private, password, *people)
    except AssertionError as error:
        sys.exit(f"{error}; what the hub said is in {private / 'hub.log'}")
    shutil.rmtree(private)


if __name__ == "__main__":
    main()
