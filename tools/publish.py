"""Put the student bundle on the branch that notebooks fetch from, as a commit and a tag, from a
clone of its own."""

import shutil
import subprocess
import tempfile
from pathlib import Path

from nbseal.course import Course
from nbseal.errors import CourseError

from tools.bundle import collect
from tools.running import here, run
from tools.settings import PLACEHOLDER, of


def git(*arguments: str, cwd: Path) -> str:
    """Run git and return what it prints. Raises CourseError with git's own words."""
    try:
        done = subprocess.run(["git", *arguments], cwd=cwd, capture_output=True, text=True)
    except FileNotFoundError:
        raise CourseError("git is not installed, and publishing needs it.") from None
    if done.returncode:
        raise CourseError(
            f"`git {arguments[0]}` failed: {' '.join(done.stderr.split()) or done.stdout.strip()}"
        )
    return done.stdout.strip()


def remote_heads(repository: str, cwd: Path) -> dict[str, str]:
    """Branches and tags of a repository: refs/heads/main -> commit. Raises CourseError where it
    cannot be reached."""
    lines = git("ls-remote", "--heads", "--tags", repository, cwd=cwd).splitlines()
    return {name: commit for commit, name in (line.split("\t") for line in lines)}


def start_branch(repository: str, branch: str, exists: bool, clone: Path) -> None:
    """A new clone in which the next commit continues `branch`, or begins it, with none of its files
    checked out."""
    clone.mkdir()
    git("init", "--quiet", cwd=clone)
    git("remote", "add", "origin", repository, cwd=clone)
    git("symbolic-ref", "HEAD", f"refs/heads/{branch}", cwd=clone)
    if exists:
        git("fetch", "--quiet", "--depth", "1", "origin", branch, cwd=clone)
        git("update-ref", "HEAD", "FETCH_HEAD", cwd=clone)


def sign(clone: Path, name: str) -> None:
    """Commit under the course's name where git does not know who commits, as on a server."""
    try:
        git("var", "GIT_COMMITTER_IDENT", cwd=clone)
    except CourseError:
        git("config", "user.name", name, cwd=clone)
        git("config", "user.email", "nobody@localhost", cwd=clone)


def publish(course: Course) -> str:
    """Publish the bundle under the branch and revision of course.toml; returns one sentence that
    says what happened.

    A revision that is already published is never moved: notebooks that students have at home ask
    for it.
    """
    settings = of(course)
    if PLACEHOLDER in settings.repository:
        raise CourseError(
            f"{course.root / 'course.toml'} still holds a placeholder ({settings.repository}): "
            "put there the "
            "repository that students may read, then run `make stamp release publish`."
        )
    with tempfile.TemporaryDirectory() as scratch:
        clone, bundle = Path(scratch) / "clone", Path(scratch) / "bundle"
        collect(course, bundle)
        heads = remote_heads(settings.repository, course.root)
        start_branch(
            settings.repository, settings.branch, f"refs/heads/{settings.branch}" in heads, clone
        )
        shutil.copytree(bundle, clone, dirs_exist_ok=True)
        git("add", "--all", cwd=clone)
        tree = git("write-tree", cwd=clone)
        tag = f"refs/tags/{settings.revision}"
        if tag in heads:
            git("fetch", "--quiet", "--depth", "1", "origin", tag, cwd=clone)
            if git("rev-parse", "FETCH_HEAD^{tree}", cwd=clone) == tree:
                return (
                    f"{settings.revision} is already published at {settings.repository}, nothing "
                    "changed."
                )
            raise CourseError(
                f"{settings.revision} is already published at {settings.repository} with other "
                "contents: "
                "choose a new `revision` in course.toml, run `make stamp release`, and publish "
                "again."
            )
        sign(clone, settings.name)
        git(
            "commit",
            "--quiet",
            "--allow-empty",
            "-m",
            f"{settings.name}, {settings.revision}",
            cwd=clone,
        )
        git("tag", settings.revision, cwd=clone)
        git(
            "push",
            "--quiet",
            "--atomic",
            "origin",
            f"HEAD:refs/heads/{settings.branch}",
            tag,
            cwd=clone,
        )
        return (
            f"Published {settings.revision} on branch {settings.branch} of {settings.repository}."
        )


def main() -> None:
    """Commit the student bundle to the repository in course.toml and tag it; your own checkout is
    not touched."""
    print(publish(here()))


if __name__ == "__main__":
    run(main)
