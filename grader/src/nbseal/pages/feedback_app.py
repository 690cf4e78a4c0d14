"""nbgrader's application for feedback, with this project's converter."""

import gc
import logging
import sys

from nbgrader.apps import GenerateFeedbackApp
from nbgrader.converters import NbGraderException
from traitlets import default
from traitlets.config import Config

from nbseal.configure import configure
from nbseal.nbgrader_internals import start_application, take_assignment
from nbseal.pages.feedback_run import ParallelFeedback


class FeedbackApp(GenerateFeedbackApp):
    """Reads configuration and arguments as `nbgrader generate_feedback` does, with the
    preprocessors of `configure` also where nbgrader_config.py does not call it."""

    @default("classes")
    def _classes_default(self):
        return [*super()._classes_default(), ParallelFeedback]

    @default("log_level")
    def _log_level_default(self) -> int:
        # how it goes on is shown; --log-level=INFO brings back nbgrader's lines
        return logging.WARNING

    def build_extra_config(self) -> Config:
        config = super().build_extra_config()
        configure(config)
        return config

    def start(self) -> None:
        """Write pages, and end the process with 1 if some could not be made."""
        # what has been imported is no garbage, and need not be looked through again and again
        gc.freeze()
        gc.set_threshold(50_000, 20, 20)
        start_application(self)
        take_assignment(self)
        try:
            ParallelFeedback(coursedir=self.coursedir, parent=self).start()
        except NbGraderException:
            sys.exit(1)
