"""Counts as tables and bars."""

from mnemo_assets.defs import charts


def test_bars() -> None:
    """The longest bar is as wide as may be, and what is not 0 is seen."""
    assert charts.bars({"graphed": 4_000, "failed": 1, "new": 0}).md_str == "\n".join(
        [
            "```text",
            f"graphed      4,000  {'█' * charts.WIDTH}",
            "failed           1  █",
            "new              0",
            "```",
        ]
    )


def test_bars_of_nothing() -> None:
    """An empty ledger has a chart, too."""
    assert charts.bars({}).md_str == "```text\n```"
    assert charts.bars({"new": 0}).md_str == "```text\nnew          0\n```"


def test_table() -> None:
    """A row a name, in order."""
    table = charts.table({"Corrupt": 2, "Empty": 1}, "class")
    assert [record.data for record in table.records] == [
        {"class": "Corrupt", "documents": 2},
        {"class": "Empty", "documents": 1},
    ]
