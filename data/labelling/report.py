"""Make data/helpdesk/qrels.tsv from the two passes and their resolution, and write the agreement into data/README.md.

Run `python data/labelling/report.py` after a change of pass1.tsv, pass2.tsv or resolved.tsv; a test compares.
"""

from __future__ import annotations

import csv
from pathlib import Path

from vara.quality.agreement import kappa, quadratic
from vara.report.table import markdown, updated

HERE = Path(__file__).parent
Pairs = dict[tuple[str, str], int]


def read(name: str) -> Pairs:
    """Return {(query, document): grade} of a sheet."""
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return {(row["query-id"], row["corpus-id"]): int(row["score"]) for row in rows}


def final() -> Pairs:
    """Return the labels: what both passes agree on, and the resolution of the rest; unlisted in a pass is 0 there."""
    return dict(sorted({**read("pass2.tsv"), **read("pass1.tsv"), **read("resolved.tsv")}.items()))


def qrels() -> str:
    """Return the text of qrels.tsv; the source of every label is `written`."""
    lines = [f"{query}\t{doc}\t{grade}\twritten" for (query, doc), grade in final().items()]
    return "\n".join(["query-id\tcorpus-id\tscore\tsource", *lines]) + "\n"


def agreement() -> list[dict[str, str]]:
    """Return the agreement of the passes on the pairs that both judged, as table rows."""
    first, second = read("pass1.tsv"), read("pass2.tsv")
    both = [pair for pair in first if pair in second]
    a, b = [first[pair] for pair in both], [second[pair] for pair in both]
    same = sum(x == y for x, y in zip(a, b, strict=True)) / len(both)
    binary = kappa([min(x, 1) for x in a], [min(y, 1) for y in b])
    values = {
        "pairs that both passes judged": str(len(both)),
        "same grade": f"{same:.1%}",
        "Cohen's kappa, relevant or not": f"{binary:.3f}",
        "Cohen's kappa, grades 0–3": f"{kappa(a, b):.3f}",
        "Cohen's kappa, grades 0–3, quadratic weights": f"{kappa(a, b, quadratic):.3f}",
        "disagreements resolved by a third reading": str(len(read("resolved.tsv"))),
    }
    return [{"agreement": name, "value": value} for name, value in values.items()]


def main() -> None:
    """Write both files."""
    (HERE.parent / "helpdesk/qrels.tsv").write_text(qrels(), encoding="utf-8")
    readme = HERE.parent / "README.md"
    text = readme.read_text(encoding="utf-8")
    readme.write_text(updated(text, markdown(agreement()), where=readme.name), encoding="utf-8")


if __name__ == "__main__":
    main()
