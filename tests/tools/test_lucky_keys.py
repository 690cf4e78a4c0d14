"""How thinly a wrong answer was refused."""

import pytest
import torch
from nbseal.checks.comparing import mismatch
from nbseal.records import CheckResult

from tools.lucky_keys import allowed_share


@pytest.mark.parametrize(
    "got, wanted, share",
    [
        (1.1, 1.0, 0.001),
        ((2.0, 30.0), (2.0, 20.0), 2e-4),
        (torch.tensor([1.0, 5.0]), torch.tensor([1.0, 4.0]), 4e-4),
        (torch.tensor([2.0, 5.0]), torch.tensor([1.0, 4.0]), 1e-8),  # two of them are wrong
        (1.0 + 2e-4, 1.0, 0.5),
        (torch.zeros(2), torch.zeros(3), 0.0),
        (True, False, 0.0),
        ([1.0], 1.0, 0.0),
    ],
)
def test_how_thinly_an_answer_is_refused_is_read_from_what_the_checks_say(got, wanted, share):
    detail = mismatch(got, wanted, 1e-4)
    assert detail
    said = CheckResult("it", False, detail=detail)
    assert allowed_share(said, 1e-4) == pytest.approx(share, rel=0.01)
    assert allowed_share(said, None) == 0.0
