"""Texts as columns: what an encoder reads of each row, and which rows hold more than ASCII."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of one table; row i of each column is row i of the table.

    Attributes:
        names: ids.
        titles: without outer white space, "" where there is none or it is blank.
        bodies: the text without the title, likewise.
        whole: title, newline, text, whichever are not blank; the rule of `text.embedded_text`, as a column.
        wide: whether `whole` holds a character beyond ASCII.
    """

    names: pl.Series
    titles: pl.Series
    bodies: pl.Series
    whole: pl.Series
    wide: pl.Series


def texts_of(frame: pl.DataFrame, name: str) -> Texts:
    """Return the texts of documents or queries.

    Args:
        frame: a table with `text` and perhaps `title`.
        name: its column of ids.
    """
    import polars as pl

    title = pl.col("title") if "title" in frame.columns else pl.lit(None, dtype=pl.String)
    columns = frame.select(title=title, text=pl.col("text"))
    present = (pl.when(pl.col(one).str.strip_chars() != "").then(pl.col(one)) for one in ("title", "text"))
    whole = columns.select(
        pl.concat_str(*present, separator="\n", ignore_nulls=True).fill_null("").alias("whole")
    )
    bare = columns.select(pl.all().str.strip_chars().fill_null(""))
    return Texts(
        names=frame.get_column(name),
        titles=bare["title"],
        bodies=bare["text"],
        whole=whole["whole"],
        wide=whole.select(pl.col("whole").str.len_bytes() > pl.col("whole").str.len_chars())["whole"],
    )
