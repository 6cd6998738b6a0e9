"""What tests do with a page in a browser."""

import time


def resize(driver, width, height=900):
    """Show the page at a width in CSS pixels."""
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def ask(driver, i, what):
    """What an exhibit of the page answers, say to ``distances()``."""
    return driver.execute_script(f"return JSON.parse(JSON.stringify(window.redunet.exhibits[{i}].{what} ?? null))")


def stage(driver, i):
    """The element of an exhibit, in view. All are drawn first, or those above it would still push it down."""
    driver.execute_script("window.redunet.exhibits.forEach((exhibit) => exhibit.draw())")
    settled(driver)
    return driver.execute_script(
        f"const {{ element }} = window.redunet.exhibits[{i}];"
        "element.scrollIntoView({block: 'start', behavior: 'instant'}); return element"
    )


def settled(driver):
    """Wait until two frames have been drawn."""
    driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")


def eventually(condition, seconds=10):
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "nothing happened in time"
        time.sleep(0.05)
