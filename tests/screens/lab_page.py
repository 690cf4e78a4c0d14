"""What a person does in JupyterLab: find a cell of a notebook, edit a line, run it, read what it
says."""

from pathlib import Path

from nbseal.notebook import files
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from tests.screens.browser import Browser, Keys


class NotebookPage:
    """A notebook that is open in JupyterLab. Cells go by the ids in the file."""

    def __init__(self, browser: Browser, url: str, file: Path):
        self.browser = browser
        self.ids = [cell.id for cell in files.read(file).cells]
        browser.open(url)
        browser.until("all cells of the notebook", lambda: len(self._cells()) == len(self.ids))

    def _cells(self) -> list[WebElement]:
        return self.browser.driver.find_elements(By.CSS_SELECTOR, ".jp-Notebook .jp-Cell")

    def cell(self, cell_id: str) -> WebElement:
        return self._cells()[self.ids.index(cell_id)]

    def run(self, cell_id: str) -> None:
        """Click beside the cell, which selects it, and press Control and Enter. One that is folded
        is unfolded first, by a click on its title."""

        def select() -> bool:
            cell = self.cell(cell_id)
            places = cell.find_elements(
                By.CSS_SELECTOR, ".jp-InputPlaceholder .jp-Placeholder-content"
            )
            places += cell.find_elements(By.CSS_SELECTOR, ".jp-InputArea-prompt")
            shown = next(place for place in places if place.is_displayed())
            self.browser.show(shown)
            shown.click()
            return "jp-mod-selected" in self.cell(cell_id).get_attribute("class")

        self.browser.until(f"{cell_id} to be selected", select)
        self.browser.press(Keys.CONTROL, Keys.ENTER)

    def replace_line(self, cell_id: str, beginning: str, text: str) -> None:
        """Put `text` in the place of the line that begins so, behind its indentation."""

        def focus() -> bool:
            lines = self.cell(cell_id).find_elements(By.CSS_SELECTOR, ".cm-line")
            line = next((line for line in lines if line.text.strip().startswith(beginning)), None)
            if line is None:
                return False
            self.browser.show(line)
            line.click()
            return True

        self.browser.until(f"the line {beginning!r} of {cell_id}", focus)
        self.browser.press(Keys.END)
        self.browser.press(Keys.SHIFT, Keys.HOME)
        self.browser.type(text)

    def output(self, cell_id: str, containing: str) -> str:
        """What the cell has printed or raised, once that contains a text."""

        def read() -> str | None:
            areas = self.cell(cell_id).find_elements(By.CSS_SELECTOR, ".jp-OutputArea-output")
            text = "\n".join(area.text for area in areas)
            return text if containing in text else None

        return self.browser.until(f"{containing!r} below {cell_id}", read)

    def save(self) -> None:
        """Press Control and S, and wait until the tab no longer says that there is something to
        save."""
        self.browser.press(Keys.CONTROL, "s")
        self.browser.until(
            "the notebook to be saved",
            lambda: (
                not self.browser.driver.find_elements(
                    By.CSS_SELECTOR, ".lm-TabBar-tab.jp-mod-current.jp-mod-dirty"
                )
            ),
        )


def fold_side_bar(browser: Browser) -> None:
    """More room for the page: click on the open side panel's own icon."""
    browser.click(".jp-SideBar.jp-mod-left .lm-TabBar-tab.lm-mod-current")
    browser.until(
        "the side panel to close",
        lambda: (
            not browser.driver.find_elements(
                By.CSS_SELECTOR, ".jp-SideBar.jp-mod-left .lm-TabBar-tab.lm-mod-current"
            )
        ),
    )
