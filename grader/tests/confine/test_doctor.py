"""The doctor's report, and the refusal to grade where a boundary is open."""

import io
import sys

import pytest
from nbseal.authoring import doctor
from nbseal.confine import Boundary, Finding, Report, boundaries
from nbseal.errors import CourseError
from rich.console import Console


def report(*open_boundaries: Boundary, refusals=None) -> Report:
    return Report(
        tuple(Finding(one, one in open_boundaries, "said so") for one in Boundary), refusals or {}
    )


@pytest.fixture
def host(monkeypatch):
    """Makes the probe find what a test says."""

    def is_found(found: Report) -> None:
        for module in (boundaries, doctor):
            monkeypatch.setattr(module, "probe", lambda solutions=None: found)

    return is_found


def consult() -> tuple[bool, str]:
    text = io.StringIO()
    return doctor.doctor(console=Console(file=text, width=200)), text.getvalue()


def test_every_boundary_has_a_row_of_its_own(host):
    host(report())
    closed, said = consult()
    assert closed and f"All {len(Boundary)} boundaries are closed" in said
    for boundary in Boundary:
        assert boundary in said and boundary.attempt in said


def test_what_is_open_is_counted_and_named(host):
    host(report(Boundary.DISK, Boundary.HOME))
    closed, said = consult()
    assert not closed
    assert f"2 of {len(Boundary)} boundaries are open" in said and "--accept-open=home,disk" in said


@pytest.mark.parametrize("measure", doctor.ADVICE)
def test_a_refused_measure_comes_with_advice(host, measure):
    host(report(refusals={measure: "the host says no"}))
    _, said = consult()
    assert f"{measure} (the host says no)" in said
    assert doctor.ADVICE[measure].split()[0] in said


def test_what_was_reached_is_shown_literally(host):
    host(Report((Finding(Boundary.HOME, True, "read /home/me/[bold]"),), {}))
    assert "[bold]" in consult()[1]


def test_grading_refuses_to_run_with_a_boundary_open(host):
    host(report(Boundary.TCP, Boundary.DISK))
    with pytest.raises(CourseError, match=r"2 boundaries \(tcp, disk\).*--accept-open=tcp,disk"):
        boundaries.require_closed()


def test_boundaries_are_accepted_by_name(host):
    host(report(Boundary.TCP, Boundary.DISK))
    assert boundaries.require_closed({"tcp", "disk"}).open == (Boundary.TCP, Boundary.DISK)
    with pytest.raises(CourseError, match=r"1 boundary \(disk\).*--accept-open=tcp,disk"):
        boundaries.require_closed({"tcp"})


def test_a_name_that_is_no_boundary_is_refused():
    with pytest.raises(CourseError, match="no boundary 'netwrk'; there are: .*tcp"):
        boundaries.accepted(["netwrk"])


@pytest.mark.parametrize("platform, name", [("darwin", "macOS"), ("win32", "Windows")])
def test_other_systems_are_told_what_to_do(monkeypatch, platform, name):
    monkeypatch.setattr(sys, "platform", platform)
    with pytest.raises(
        CourseError, match=f"{name} cannot confine a submission: grade in a Linux virtual machine"
    ):
        boundaries.probe()


def test_a_probe_that_fails_says_why(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(CourseError, match="could not be tried"):
        boundaries.probe()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can confine a session")
def test_the_command_tries_this_host(grading):
    done = grading("doctor")
    said = done.stdout + done.stderr
    assert done.returncode == (0 if f"All {len(Boundary)} boundaries are closed" in said else 1), (
        said
    )
    assert "solutions" in said and "Traceback" not in said
