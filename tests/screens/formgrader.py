"""What an instructor does in Formgrader: find a row, press one of its icons."""

from typing import Self

from tests.screens.browser import Browser
from tests.screens.lab_page import fold_side_bar


class Formgrader:
    """Formgrader, in the page that a browser shows."""

    def __init__(self, browser: Browser):
        self.browser = browser

    @classmethod
    def in_lab(cls, browser: Browser, url: str) -> Self:
        """As JupyterLab at this address shows it, in a frame."""
        browser.open(url)
        fold_side_bar(browser)
        browser.click(".lm-MenuBar-item", "Nbgrader")
        browser.click(".lm-Menu-item", "Formgrader")
        browser.enter_frame(".jp-Formgrader iframe, iframe")
        return cls(browser)

    def row(self, text: str) -> str:
        """Marks the row of a table that contains a text, and returns a selector for it."""
        row = self.browser.see("#main-table tr, tbody tr", text)
        self.browser.driver.execute_script(
            """
            document.querySelectorAll('.the-row').forEach(row => row.classList.remove('the-row'));
            arguments[0].classList.add('the-row')""",
            row,
        )
        return ".the-row"

    def press(self, row: str, column: str) -> None:
        """Click a row's icon, wait for nbgrader's box to say Success, close it."""
        self.browser.click(f"{self.row(row)} .{column} a")
        title = self.browser.see(".modal.in .modal-title").text
        said = self.browser.see(".modal.in .modal-body").text
        assert title == "Success", said
        self.browser.click(".modal.in .modal-footer button", "OK")
        self.browser.until(
            "the box to close",
            lambda: not self.browser.driver.find_elements("css selector", ".modal"),
        )
