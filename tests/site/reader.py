"""Somebody who reads the site in a browser, at a desk or on a phone."""

from pathlib import Path

from tests.screens.browser import Browser

WIDTHS = {"desktop": (1280, 800), "phone": (390, 844)}  # CSS pixels


class Reader:
    def __init__(self, browser: Browser, site: Path):
        self.browser = browser
        self.site = site
        browser.driver.execute_cdp_cmd("Network.enable", {})
        browser.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["http*://*"]})

    def open(self, page: str, device: str = "desktop") -> None:
        """A page, when its formulas are set."""
        width, height = WIDTHS[device]
        self.browser.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": device == "phone"},
        )
        self.browser.open(f"{self.site.as_uri()}/{page}")
        self.browser.driver.execute_async_script(
            """
            const done = arguments[0];
            const formulas = () => (window.MathJax?.startup?.promise ?? Promise.resolve());
            const painted = () => requestAnimationFrame(() => setTimeout(done, 0));
            const ready = () => formulas().then(painted, painted);
            document.readyState === "complete" ? ready() : window.addEventListener("load", ready);
            """
        )

    def ask(self, script: str, *arguments):
        """What this JavaScript returns."""
        return self.browser.driver.execute_script(script, *arguments)
