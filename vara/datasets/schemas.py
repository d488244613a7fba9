"""Pandera schemas of the three tables: what every reader of them may rely on. Derived from tables.COLUMNS."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vara.datasets.tables import COLUMNS, KEYS, Table, column_types
from vara.errors import Problem, examples

if TYPE_CHECKING:
    import pandera.polars as pa
    import polars as pl
    from pandera.errors import SchemaError


def schema_of(table: Table) -> pa.DataFrameSchema:
    """Return the strict schema of a table: exactly these columns in this order, typed, with unique keys.

    **Conventions** Ids are non-empty, relevance ≥ 0, metadata and scope are texts of objects.
    """
    import pandera.polars as pa

    rules = {
        "doc_id": [pa.Check.str_length(min_value=1)],
        "query_id": [pa.Check.str_length(min_value=1)],
        "metadata": [pa.Check.str_startswith("{")],
        "scope": [pa.Check.str_startswith("{")],
        "relevance": [pa.Check.ge(0)],
    }
    types = column_types(table)
    columns = {
        name: pa.Column(types[name], checks=rules.get(name, []), nullable=word.endswith("?"))
        for name, word in COLUMNS[table].items()
    }
    return pa.DataFrameSchema(columns, strict=True, ordered=True, unique=KEYS[table], name=table)


def validate_table(frame: pl.DataFrame, table: Table) -> pl.DataFrame:
    """Return the frame if it fits its schema.

    Raises:
        Problem: it does not; every failed check is named.
    """
    from pandera.errors import SchemaErrors

    try:
        return schema_of(table).validate(frame, lazy=True)
    except SchemaErrors as error:
        failed = sorted({f"{case.schema.name}: {_check_name(case)}" for case in error.schema_errors})
        raise Problem(
            f"Table {table}",
            f"failed {examples(failed)}",
            remedy="The rules let through what the schema refuses: report this together with the dataset.",
        ) from None


def _check_name(case: SchemaError) -> str:
    return str(getattr(case.check, "name", case.check) or case.reason_code)
