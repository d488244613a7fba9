"""What a comparison concludes, in sentences: verdict, what so many queries can see, how often test was looked at."""

from __future__ import annotations

from collections.abc import Iterator

from vara.errors import examples
from vara.quality.comparison import FEWEST, Paired
from vara.quality.power import ALPHA
from vara.report.comparison import Comparison


def verdict_line(found: Comparison) -> str:
    """Return the verdict as one sentence; cost and latency belong beside it."""
    if found.incomparable:
        return "Not comparable: no verdict is given while the same measure means different things."
    one = found.deciding
    if one is None:
        return f"Not measured: an arm has no value of {found.families.primary}."
    size = f"{one.measure} {one.a:.4f} → {one.b:.4f} ({one.difference:+.4f}{interval(one)})"
    p = f"p = {p_value(one.p_holm)} after Holm"
    if one.verdict == "no difference":
        everywhere = not any(other.moved for other in found.measured)
        rest = "and of every other measure" if everywhere else "other measures moved, see below"
        return f"No difference: all {one.n} queries have the same {one.measure} in both, p = 1; {rest}."
    if one.verdict in ("higher", "lower"):
        word = "better" if one.verdict == "higher" else "worse"
        return f"B is {word}: {size}, {p}."
    if one.verdict == "noise":
        beside = (
            " The interval is of this measure alone, without that correction." if _excludes_0(one) else ""
        )
        return f"Noise: {size}, {p}.{beside}"
    return f"Undecided: {size}, {p}."


def limits(found: Comparison) -> Iterator[str]:
    """Say what this many queries can and cannot show."""
    if (one := found.deciding) is None or found.incomparable:
        return
    if one.detectable is not None:
        sight = f"n = {one.n} can see {one.detectable:.4f} or more of {one.measure} (.05 two-sided, power .8)"
        rest = f"; {abs(one.difference):.4f} is within noise" if one.verdict == "noise" else ""
        yield f"{sight}, where queries scatter as they do here{rest}."
    few = [other for other in found.families.headline if 0 < other.moved < FEWEST]
    if few:
        moved = examples([f"{other.measure} {other.moved} of {other.n}" for other in few])
        most = max(other.moved for other in few)
        yield (
            f"Too few queries moved ({moved}): {ALPHA:g} cannot be reached with fewer than {FEWEST}; "
            f"the smallest p of {most} is {2 / 2**most:g}."
        )


def tested(found: Comparison) -> Iterator[str]:
    """Say how often the labels of test were looked at, as far as the store knows."""
    if found.tested is None:
        return
    if found.tested == 0:
        yield "This store has computed no test values on these labels; a store knows only what was computed with it."
        return
    settings = "1 setting" if found.tested == 1 else f"{found.tested} settings"
    yield (
        f"Test values of {settings} were computed on these labels "
        "(ledger of this store; it knows only what was computed with it)."
    )


def interval(one: Paired) -> str:
    """Return the interval of a difference in brackets, after a space; nothing where there is none."""
    return "" if one.low is None or one.high is None else f" [{one.low:+.4f}, {one.high:+.4f}]"


def p_value(p: float) -> str:
    """Return p as text."""
    return "1" if p == 1 else f"{p:.4f}"


def _excludes_0(one: Paired) -> bool:
    return one.low is not None and one.high is not None and (one.low > 0 or one.high < 0)
