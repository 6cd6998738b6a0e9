"""How the page is displayed: narrow screens, dark and light, on paper, and drawn only when in view."""

from .page_driver import ask, eventually, resize, settled, stage


def test_a_narrow_screen_never_scrolls_sideways(browser):
    resize(browser, 390)
    browser.execute_script("window.redunet.exhibits.forEach((e) => e.draw())")
    settled(browser)
    settled(browser)
    assert browser.execute_script("return document.documentElement.clientWidth") <= 390
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 390
    ask(browser, 0, "moveTo([3])")


def test_dark_follows_the_system_until_the_reader_chooses(browser, page):
    def paper():
        return browser.execute_script("return getComputedStyle(document.body).backgroundColor")

    def pixels():
        return browser.execute_script("return arguments[0].querySelector('canvas').toDataURL()", stage(browser, 0))

    light, light_pixels = paper(), pixels()
    dark_system = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", dark_system)
    settled(browser)
    assert paper() != light
    assert pixels() != light_pixels
    browser.find_element("class name", "theme").click()
    assert paper() == light
    assert pixels() == light_pixels
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", dark_system)
    browser.get(page.as_uri())
    assert paper() != light


def test_exhibits_are_drawn_when_they_come_into_view(browser):
    drawn = "return window.redunet.exhibits.map((e) => e.drawn())"
    assert not all(browser.execute_script(drawn))
    browser.execute_script("window.redunet.exhibits.at(-1).element.scrollIntoView({behavior: 'instant'})")
    eventually(lambda: browser.execute_script(drawn)[-1])


def test_print_shows_all_exhibits_in_light(browser):
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    )
    settled(browser)
    browser.execute_script("window.dispatchEvent(new Event('beforeprint'))")
    assert browser.execute_script("return document.documentElement.dataset.theme") == "light"
    assert all(browser.execute_script("return window.redunet.exhibits.map((e) => e.drawn())"))
    browser.execute_script("window.dispatchEvent(new Event('afterprint'))")
    assert browser.execute_script("return document.documentElement.dataset.theme") == "dark"
