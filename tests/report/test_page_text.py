"""Text and tables of the page: text stays text, everything has a name, and the file is whole."""

import os

import numpy as np
import pytest

from redunet.report.page import build_page, write_page

from .example_page import HOSTILE
from .page_driver import eventually


def test_everything_has_a_name_and_nothing_is_fetched(browser):
    browser.execute_script("window.redunet.exhibits.forEach((e) => e.draw())")
    unnamed = browser.execute_script(
        "return Array.from(document.querySelectorAll('button, select, input'))"
        ".filter((node) => !(node.textContent.trim() || node.labels?.length)).length"
    )
    assert unnamed == 0
    fetched = browser.execute_script("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert [name for name in fetched if not name.startswith(("data:", "blob:"))] == []


def test_text_of_the_data_stays_text(browser):
    assert browser.title == "A report"
    assert HOSTILE in browser.find_element("class name", "subtitle").text
    assert browser.find_element("class name", "note").is_displayed()


def test_summary_links_to_experiments_and_aligns_numbers(browser):
    links = browser.find_elements("css selector", ".summary tbody a")
    assert [link.text for link in links] == ["Samples that move", "Points on the circle and the sphere"]
    links[1].click()
    eventually(
        lambda: (
            abs(
                browser.execute_script("return document.querySelectorAll('.experiment')[1].getBoundingClientRect().top")
            )
            < 100
        )
    )
    rows = browser.find_elements("css selector", ".summary tbody tr")
    assert [cell.text for cell in rows[2].find_elements("css selector", "td.number")] == ["–", "–", "−1.250", "3 min"]
    edges = browser.execute_script(
        "return Array.from(document.querySelectorAll('.summary td.ours .fraction'))"
        ".map((span) => span.getBoundingClientRect().left)"
    )
    assert np.ptp(edges) < 0.5


def test_page_is_one_whole_file(tmp_path):
    data = {"title": "t", "subtitle": HOSTILE, "version": "0", "summary": [], "experiments": []}
    text = build_page(data)
    assert text.count("<script") == text.count("</script>") == 2
    write_page(data, tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == text
    with pytest.raises(ValueError, match="JSON compliant"):
        write_page({**data, "summary": [{"ours": float("nan")}]}, tmp_path / "page.html")
    assert os.listdir(tmp_path) == ["page.html"]
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == text
