"""One page for all tests of it, and the browser that opens it."""

import shutil

import pytest

from redunet.report.page import write_page

from .example_page import cases, report_data
from .page_driver import resize

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")


@pytest.fixture(scope="session")
def networks():
    """Classifiers that the page runs, by name."""
    return cases()


@pytest.fixture(scope="session")
def page(networks, tmp_path_factory):
    """File of the page."""
    path = tmp_path_factory.mktemp("report") / "page.html"
    write_page(report_data(networks), path)
    return path


@pytest.fixture(scope="session")
def chromium():
    """A browser without a window."""
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("chromium and chromedriver are not installed")
    selenium = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    options = selenium.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("headless=new", "no-sandbox", "disable-dev-shm-usage", "disable-gpu", "window-size=1200,900"):
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = selenium.Chrome(options=options, service=selenium.ChromeService(DRIVER))
    driver.set_script_timeout(20)
    yield driver
    driver.quit()


@pytest.fixture
def browser(chromium, page):
    """The page, freshly opened; whatever a test does, nothing may be written to the console."""
    resize(chromium, 1200)
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    chromium.get(page.as_uri())
    yield chromium
    assert chromium.get_log("browser") == []
