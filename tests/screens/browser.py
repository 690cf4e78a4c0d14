"""A headless Chromium that looks at a page as a person does: wait until it is there, click, type,
take a picture. It reaches this machine alone, as in a room without internet."""

import io
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from selenium import webdriver
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    NoSuchElementException,
    StaleElementReferenceException,
    TimeoutException,
)
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

# seconds for anything to appear; it ends a test, and no test that passes waits for it
PATIENCE = 90
WIDTH, HEIGHT, SCALE = 1180, 970, 1.5  # of the window, in CSS pixels
NOT_YET = (
    NoSuchElementException,
    StaleElementReferenceException,
    ElementClickInterceptedException,
    ElementNotInteractableException,
)

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
DRIVER = shutil.which("chromedriver")


class Browser:
    """One page and what is done with it. Every wait is bounded and says what it waited for."""

    def __init__(self, driver: webdriver.Chrome, private: Path):
        self.driver = driver
        self.private = private

    def open(self, url: str) -> None:
        self.driver.get(url)

    def until(self, what: str, condition: Callable[[], object]):
        """Wait for `condition()` to be true, and return what it gave. `what` says in a failure what
        was missing."""
        wait = WebDriverWait(self.driver, PATIENCE, poll_frequency=0.1, ignored_exceptions=NOT_YET)
        try:
            return wait.until(lambda _: condition())
        except TimeoutException:
            seen = self.private / "last_seen.png"
            self.screenshot(seen)
            raise AssertionError(
                f"waited {PATIENCE} s for {what}; what the page shows instead is in {seen}"
            ) from None

    def errors(self) -> list[str]:
        """What failed in the page since it was opened: scripts, and what could not be fetched."""
        found = self.driver.get_log("browser")
        return [entry["message"] for entry in found if entry["level"] == "SEVERE"]

    def text(self) -> str:
        return self.driver.execute_script("return document.body ? document.body.innerText : ''")

    def _visible(self, selector: str, text: str) -> WebElement | None:
        found = self.driver.find_elements(By.CSS_SELECTOR, selector)
        return next(
            (element for element in found if element.is_displayed() and text in element.text), None
        )

    def see(self, selector: str, text: str = "") -> WebElement:
        """The first visible element of this CSS selector that contains `text`, when there is
        one."""
        return self.until(f"{selector} with {text!r}", lambda: self._visible(selector, text))

    def click(self, selector: str, text: str = "") -> None:
        """Click on what `see` finds, as soon as nothing is in front of it."""

        def clicked() -> bool:
            element = self._visible(selector, text)
            if element is not None:
                element.click()
            return element is not None

        self.until(f"{selector} with {text!r} to click on", clicked)

    def press(self, *keys: str) -> None:
        """Hold all keys but the last, and press that one."""
        actions = webdriver.ActionChains(self.driver)
        for key in keys[:-1]:
            actions.key_down(key)
        actions.send_keys(keys[-1])
        for key in keys[:-1]:
            actions.key_up(key)
        actions.perform()

    def type(self, text: str) -> None:
        """Insert text at the cursor, as a keyboard does that closes no brackets."""
        self.driver.execute_cdp_cmd("Input.insertText", {"text": text})

    def show(self, element: WebElement, where: str = "center") -> None:
        """Scroll until the element is in sight."""
        self.driver.execute_script(
            "arguments[0].scrollIntoView({block: arguments[1]})", element, where
        )

    def resize(self, height: int = HEIGHT) -> None:
        """Make the window taller, for what has to be seen together; without a height, as it was."""
        self.driver.set_window_size(WIDTH, height)

    def enter_frame(self, selector: str) -> None:
        self.driver.switch_to.frame(self.see(selector))

    def leave_frame(self) -> None:
        self.driver.switch_to.default_content()

    def screenshot(self, file: Path, height: int | None = None) -> None:
        """The window, or its upper part, as a PNG of few colours, which is small and looks the
        same."""
        with Image.open(io.BytesIO(self.driver.get_screenshot_as_png())) as picture:
            bottom = round(height * SCALE) if height else picture.height
            few = (
                picture.convert("RGB")
                .crop((0, 0, picture.width, bottom))
                .quantize(128, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
            )
            few.save(file, optimize=True)


@contextmanager
def chromium(private: Path) -> Iterator[Browser]:
    """A browser with an empty profile; ended, with its driver, however the block ends."""
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--hide-scrollbars",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
        f"--user-data-dir={private / 'profile'}",
        f"--window-size={WIDTH},{HEIGHT}",
        f"--force-device-scale-factor={SCALE}",
    ):
        options.add_argument(argument)
    driver = webdriver.Chrome(options, webdriver.ChromeService(DRIVER))
    try:
        driver.set_page_load_timeout(PATIENCE)
        driver.set_script_timeout(PATIENCE)
        yield Browser(driver, private)
    finally:
        driver.quit()


__all__ = ["CHROMIUM", "DRIVER", "Browser", "Keys", "chromium"]
