"""Whether Formgrader's button would be told by a server what it is told without one."""

from nbseal.autograde.button import _known, _relevant
from traitlets.config import Config


def same(ours: Config, formgraders: Config) -> bool:
    names = _known() | set(ours)
    return _relevant(ours, names) == _relevant(formgraders, names)


def test_what_decides_a_score_is_compared():
    for section, name in (
        ("LateSubmissionPlugin", "penalty_method"),
        ("AssignLatePenalties", "plugin_class"),
        ("OverwriteCells", "enabled"),
        ("LimitOutput", "max_lines"),
        ("SealedExecute", "timeout"),
        ("TenthPerDay", "of_the_course_s_own"),
    ):
        one = Config({section: {name: "other"}})
        assert same(one, one.copy()) and not same(one, Config()), section
        if section != "TenthPerDay":
            assert not same(Config(), one), section


def test_what_is_still_to_be_put_together_is_compared_by_what_it_is():
    one, other = Config(), Config()
    one.CourseDirectory.ignore.append("*.tmp")
    other.CourseDirectory.ignore.append("*.tmp")
    assert same(one, other) and not same(one, Config())


def test_jupyters_own_settings_and_what_the_command_is_told_do_not_count():
    server = Config({"ServerApp": {"port": 8899}, "CourseDirectory": {"root": "/course"}})
    assert same(Config(), server)
