"""Pure: counts as the page of an asset shows them, in tables and in bars of text.

Bars are text, since the page drops a picture that is not fetched by http, and nothing is fetched here.
"""

from collections.abc import Mapping
from typing import Final

import dagster as dg

#: Characters of the longest bar.
WIDTH: Final = 40


def table(counts: Mapping[str, int], what: str) -> dg.TableMetadataValue:
    """Counts as a table of two columns.

    Args:
        counts: name -> count.
        what: the head of the first column.
    """
    schema = dg.TableSchema(columns=[dg.TableColumn(what, "string"), dg.TableColumn("documents", "int")])
    records = [dg.TableRecord({what: name, "documents": n}) for name, n in counts.items()]
    return dg.MetadataValue.table(records, schema)


def bars(counts: Mapping[str, int]) -> dg.MarkdownMetadataValue:
    """Counts as bars, in their order; one that is not 0 is seen."""
    most, names = max(counts.values(), default=0), max(map(len, counts), default=0)
    lines = [
        f"{name:<{names}}  {n:>9,}  {'█' * (-(-n * WIDTH // most) if most else 0)}".rstrip()
        for name, n in counts.items()
    ]
    return dg.MetadataValue.md("\n".join(["```text", *lines, "```"]))
