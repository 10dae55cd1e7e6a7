"""Paragraphs that a mail program broke into lines, whole again (RFC 3676: format=flowed). Pure."""

from __future__ import annotations

#: The line before a signature ends in a blank, and is not flowed.
_SIGNATURE = "-- "


def unfolded(text: str, *, drop_blank: bool) -> str:
    """The paragraphs of a flowed text; what is quoted keeps its marks, once a paragraph.

    Args:
        text: its lines.
        drop_blank: whether the blank that ends a line is not of the text, as in scripts without blanks.
    """
    lines: list[str] = []
    open_depth = -1  # of quotation of the last line, if that goes on
    for line in text.replace("\r\n", "\n").split("\n"):
        content = line.lstrip(">")
        depth = len(line) - len(content)
        content = content.removeprefix(" ")
        goes_on = content.endswith(" ") and content != _SIGNATURE
        if open_depth == depth and content != _SIGNATURE:
            lines[-1] += content
        else:
            lines.append(">" * depth + " " * bool(depth) + content)
        if goes_on and drop_blank:
            lines[-1] = lines[-1][:-1]
        open_depth = depth if goes_on else -1
    return "\n".join(lines)
