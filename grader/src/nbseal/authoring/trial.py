"""The rules of `nbseal check` that are proved by running a notebook."""

from __future__ import annotations

import copy
import logging
from collections.abc import Iterable, Iterator
from pathlib import Path

from nbformat import NotebookNode
from nbgrader.preprocessors import ClearSolutions

from nbseal.cells.rules import Violation
from nbseal.engine.engine import Engine, EngineError
from nbseal.engine.prepared import Prepared
from nbseal.packing import digest
from nbseal.records import Execution, Work

KEYS = ("first", "second", "third")
STUBS = {
    "a solution that raises": "raise NotImplementedError()",
    "a solution that does nothing": "pass",
}
FAR = 10.0  # tolerances between a mistake and the right value
NEAR = 0.5  # tolerances between the reference and the right value
RUN_IT = "run the notebook from top to bottom and mend the test or the solution"


class Trial:
    """The rules that are proved by running the notebook."""

    def __init__(
        self, engine: Engine, source: NotebookNode, tests: frozenset[str], folder: Path | None
    ):
        self.folder = folder
        self.beside: Path | None = None  # the same files, as sessions get them
        self.engine, self.source, self.tests = engine, source, tests
        self.audits: list[dict] = []

    def run(self) -> Iterator[Violation]:
        for number, key in enumerate(KEYS):
            prepared = None
            try:
                prepared = self.engine.prepare(
                    self.source,
                    self.source,
                    name=key,
                    folder=self.folder,
                    key=key,
                    seed=number,
                    self_test=False,
                )
            except EngineError as error:
                yield Violation("the notebook", "reference", str(error), RUN_IT)
                return
            assert prepared.answer_key is not None, "a sealed notebook has one"
            self.beside = prepared.answer_key.folder
            audit, stderr = prepared.answer_key.audit()
            self.audits.append(audit)
            if not number:
                yield from _quiet(stderr)
                yield from self._by_hand(prepared)
            yield from self._sealed_as_in_full(key, number)
        yield from self._labels()
        yield from self._near_the_right_value()
        yield from self._mistakes()
        yield from self._changes_with_the_key()
        yield from self._stubs()

    def _by_hand(self, prepared: Prepared) -> Iterator[Violation]:
        """Under nbgrader's own engine by_hand watches a test's expected values, too: under the
        key and seed under which the reference has just run, and so nothing else can fail."""
        if not any(sealed.by_hand for sealed in prepared.sealed.values()):
            return
        try:
            self.engine.prepare(
                self.source,
                self.source,
                name="watched",
                folder=self.folder,
                key=KEYS[0],
                seed=0,
                self_test=False,
                watched=True,
            )
        except EngineError as error:
            yield Violation(
                "the notebook",
                "by hand",
                f"watched as by nbgrader's own engine, the reference does not pass: {error}",
                "write the reference by hand; a ready-made layer that the test itself needs is "
                "made and called inside `with answer_key():`, also by its helper functions",
            )

    def _sealed_as_in_full(self, key: str, number: int) -> Iterator[Violation]:
        """Sealed, under another global seed, the reference gives bitwise the same answers, and they
        are accepted."""
        executions: list[Execution] = []
        result = self.engine.submit(
            Work("reference", key, self.source, self.beside),
            seed=1000 + number,
            watch=executions.append,
        ).result()
        if result.problem:
            yield Violation(
                "the notebook",
                "reference",
                f"the reference cannot be executed: {result.problem}",
                RUN_IT,
            )
            return
        records = {record.grade_id: record for record in executions[0].tests.values()}
        for test, about in self.audits[-1].items():
            answers = [
                (answer.label, digest(answer.outline, answer.tensors))
                for answer in records[test].answers
            ]
            full = [(check["label"], check["answer"]) for check in about]
            if [label for label, _ in answers] != [label for label, _ in full]:
                yield Violation(
                    test,
                    "same labels",
                    f"sealed, it checks {[a for a, _ in answers]}, in full {[a for a, _ in full]}",
                    "let nothing that is deleted by sealing decide what is checked",
                )
            for (label, sealed), (_, in_full) in zip(answers, full):
                if sealed != in_full:
                    yield Violation(
                        test,
                        "same answers",
                        f"{label!r}: the answer depends on the global random state, on an earlier "
                        "test, or on an expected value",
                        "draw inputs with sample(..., seed=...), and build anew what a "
                        "test changes",
                    )
        for verdict in result.verdicts:
            if not verdict.passed:
                failed = next(
                    (check.label for check in verdict.checks if not check.ok), verdict.problem
                )
                yield Violation(
                    verdict.grade_id,
                    "reference",
                    f"the reference solution fails {failed!r}",
                    RUN_IT,
                )

    def _labels(self) -> Iterator[Violation]:
        for test in self.audits[0]:
            labels = [[check["label"] for check in audit[test]] for audit in self.audits]
            if any(other != labels[0] for other in labels):
                yield Violation(
                    test, "same labels", "what is checked depends on the key", "loop over literals"
                )
            if len(set(labels[0])) < len(labels[0]):
                twice = next(label for label in labels[0] if labels[0].count(label) > 1)
                yield Violation(
                    test,
                    "labels",
                    f"two checks are called {twice!r}",
                    "give each a name of its own",
                )

    def _near_the_right_value(self) -> Iterator[Violation]:
        """A reference that is only just accepted fails under another key, and stops a batch."""
        for (test, label), off in furthest_off(self.audits).items():
            if off > NEAR:
                yield Violation(
                    test,
                    "tolerance",
                    f"{label!r}: the reference is {off:.2f} of a tolerance from the right value: "
                    "under another key it may fail",
                    "take doubles where large numbers cancel, write more digits, or state a wider "
                    "tolerance",
                )

    def _mistakes(self) -> Iterator[Violation]:
        seen = set()
        for audit in self.audits:
            for test, about in audit.items():
                for check in about:
                    for message, rejected, distance in check["mistakes"]:
                        place = (test, check["label"], message)
                        if place not in seen and (not rejected or distance < FAR):
                            seen.add(place)
                            how = (
                                "is accepted"
                                if not rejected
                                else f"is only {distance:.1f} tolerances from the right value"
                            )
                            yield Violation(
                                test,
                                "mistakes",
                                f"{check['label']!r}: the mistake {message!r} {how}",
                                "choose inputs for which the mistake shows",
                            )

    def _changes_with_the_key(self) -> Iterator[Violation]:
        for test in self.audits[0]:
            values = zip(
                *(
                    [(check["expected"], check["hidden"]) for check in audit[test]]
                    for audit in self.audits
                )
            )
            if not any(
                hidden and None not in expected and len(set(expected)) == len(expected)
                for expected, hidden in (
                    (tuple(v for v, _ in three), three[0][1]) for three in values
                )
            ):
                yield Violation(
                    test,
                    "secret",
                    "no hidden check wants a value that changes with the key, so its answers can "
                    "be "
                    "invented",
                    "add a hidden `expect` on inputs from sample(..., seed=...)",
                )

    def _stubs(self) -> Iterator[Violation]:
        for what, stub in STUBS.items():
            notebook = stubbed(self.source, stub)
            result = self.engine.submit(Work(what, KEYS[0], notebook, self.beside)).result()
            for verdict in result.verdicts:
                if verdict.passed:
                    yield Violation(
                        verdict.grade_id,
                        "stub",
                        f"{what} passes",
                        "add a check that an empty solution fails",
                    )


def furthest_off(audits: Iterable[dict]) -> dict[tuple[str, str], float]:
    """(test, label) -> the most, in tolerances, that the reference was off under any key."""
    off: dict[tuple[str, str], float] = {}
    for audit in audits:
        for test, about in audit.items():
            for check in about:
                place = (test, check["label"])
                off[place] = max(check["off"], off.get(place, 0.0))
    return off


def _quiet(stderr: dict[str, str]) -> Iterator[Violation]:
    """nbgrader's own scoring takes any word on stderr for a failed test."""
    for test, said in stderr.items():
        if lines := said.strip().splitlines():
            yield Violation(
                test,
                "stderr",
                f"the reference's test writes to stderr ({lines[0].strip()[-100:]!r}), for "
                "which nbgrader's own engine gives no points",
                "have nothing printed there: detach() a tensor before float(), say, or silence "
                "the one warning",
            )


def stubbed(source: NotebookNode, stub: str) -> NotebookNode:
    """The notebook with every solution replaced, as nbgrader's release does it."""
    notebook = copy.deepcopy(source)
    clear = ClearSolutions(code_stub={"python": stub})
    clear.log.setLevel(logging.ERROR)
    return clear.preprocess(notebook, {})[0]
