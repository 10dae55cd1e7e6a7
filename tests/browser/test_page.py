from __future__ import annotations

import shutil
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from mnemo_assets import database
from tests.upped import PATIENCE, running, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from selenium.webdriver.remote.webdriver import WebDriver
    from selenium.webdriver.remote.webelement import WebElement

    from tests.upped import Up

CHROMIUM = shutil.which("chromium")
DRIVER = shutil.which("chromedriver")

pytestmark = [
    pytest.mark.xdist_group("up"),
    pytest.mark.skipif(
        CHROMIUM is None or DRIVER is None,
        reason="a browser is not there: apt-get install chromium chromium-driver",
    ),
]

FLAGS = (
    "--headless",
    "--no-sandbox",  # tests may run as root, and see no page but ours
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-proxy-server",
    "--window-size=1500,1000",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",  # a page that calls out, fails
)


@pytest.fixture(scope="module")
def up() -> Iterator[Up]:
    """`mnemo up` over four letters and a file that cannot be read, all taken in."""
    letters = {f"{n}.txt": f"Ada Byron of Nordwind Ltd wrote letter {n} to Carl Gauss.\n" for n in range(4)}
    with running({**letters, "broken.pdf": "%PDF-1.7 and then nothing of a PDF"}) as up:
        with closing(database.connect(up.settings)) as ledger:
            until(lambda: _reported(ledger) == 5, "all is told")
        yield up


def _reported(ledger: database.Connection) -> int:
    row = ledger.execute(
        "select count(*) as n from documents where reported_stage in ('graphed', 'failed')"
    ).fetchone()
    assert row is not None
    return int(row["n"])


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[WebDriver]:
    """A new, headless Chromium."""
    options = webdriver.ChromeOptions()
    for flag in (*FLAGS, f"--user-data-dir={tmp_path}"):
        options.add_argument(flag)
    assert CHROMIUM is not None
    options.binary_location = CHROMIUM
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    try:
        yield browser
    finally:
        browser.quit()


def wait(browser: WebDriver, condition: Callable[[WebDriver], object]) -> None:
    WebDriverWait(browser, PATIENCE).until(condition)


def shows(*words: str) -> Callable[[WebDriver], bool]:
    """Whether the page shows all of the words."""
    return lambda browser: all(word in browser.find_element(By.TAG_NAME, "body").text for word in words)


def button(browser: WebDriver, label: str) -> WebElement | None:
    """A button that can be clicked, by the beginning of what stands on it."""
    found = browser.find_elements(By.XPATH, f"//button[starts-with(normalize-space(.), '{label}')]")
    return next((one for one in found if one.is_displayed() and one.is_enabled()), None)


def click(browser: WebDriver, label: str) -> None:
    wait(browser, lambda browser: button(browser, label))
    found = button(browser, label)
    assert found is not None
    found.click()


def test_partitions_are_seen_and_a_backfill_is_launched(up: Up, browser: WebDriver) -> None:
    """An asset's page shows where each document is; a backfill that is clicked together there succeeds."""
    with closing(database.connect(up.settings)) as ledger:
        rows = ledger.execute("select sha256 from documents where stage = 'graphed'").fetchall()
    page = f"http://127.0.0.1:{up.port}/assets/graph?view=partitions"
    browser.get(page)
    wait(browser, shows("Materialized (4)", "Missing (1)", *(row["sha256"][:12] for row in rows)))
    (up.archive / "broken.pdf").unlink()
    until(lambda: len(up.partitions("graph")) == 4, "the file that could not be read is gone")
    browser.get(page)
    wait(browser, shows("Materialized (4)", "Missing (0)"))
    click(browser, "Materialize")
    wait(browser, shows("Launch runs to materialize graph"))
    click(browser, "All")
    click(browser, "Launch backfill")
    query = "{ partitionBackfillsOrError { ... on PartitionBackfills { results { status numPartitions } } } }"

    def ended() -> list[dict[str, object]]:
        backfills: list[dict[str, object]] = up.ask(query)["partitionBackfillsOrError"]["results"]
        return [one for one in backfills if str(one["status"]).startswith(("COMPLETED", "FAILED"))]

    assert until(ended, "the backfill has ended") == [{"status": "COMPLETED_SUCCESS", "numPartitions": 4}]
    browser.get(f"http://127.0.0.1:{up.port}/runs")
    wait(browser, shows("Success"))
