"""What can be measured, by name: the grammar of measure names, and the measures that every evaluation states.

The names are those of ir_measures, `Family(parameters)@cutoff`. Their formulas stand in `formulas`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from vara.errors import Problem

GAINS = ("linear", "exp")

# Family → must it have a cutoff? Where it need not, no cutoff means the whole ranking.
FAMILIES = {
    "R": True,
    "Rcap": True,
    "P": True,
    "RR": False,
    "nDCG": False,
    "AP": False,
    "Success": True,
    "Judged": True,
}

# What other tools call them.
OTHER_NAMES = {
    "recall": "R",
    "precision": "P",
    "mrr": "RR",
    "recip_rank": "RR",
    "ndcg": "nDCG",
    "ndcg_cut": "nDCG",
    "map": "AP",
    "map_cut": "AP",
    "hit": "Success",
    "hit_rate": "Success",
    "hitrate": "Success",
}

_NAME = re.compile(r"(?P<family>\w+)(?:\((?P<parameters>[^()]*)\))?(?:@(?P<cutoff>\d+))?")
_PARAMETER = re.compile(r"\s*(?P<key>\w+)\s*=\s*(?P<value>'\w*'|\"\w*\"|True|False)\s*")


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure as a value: equal by its parts, printed by its name.

    Attributes:
        family: a key of FAMILIES.
        cutoff: the last rank that it looks at, ≥ 1; None looks at the whole ranking.
        gain: of nDCG only: `linear` is the grade, `exp` is 2^grade - 1.
        judged_only: drop unjudged documents before counting ranks (the condensed list).

    Example:
        >>> str(Measure("nDCG", 10, gain="exp"))
        "nDCG(gain='exp')@10"
    """

    family: str
    cutoff: int | None = None
    gain: str = "linear"
    judged_only: bool = False

    def __str__(self) -> str:
        """Return the name that `parse` reads back."""
        parameters = [f"gain={self.gain!r}"] * (self.gain != "linear") + [
            "judged_only=True"
        ] * self.judged_only
        inside = f"({', '.join(parameters)})" if parameters else ""
        return f"{self.family}{inside}" + (f"@{self.cutoff}" if self.cutoff is not None else "")


def parse(name: str) -> Measure:
    """Read one measure from its name.

    Args:
        name: `R@k Rcap@k P@k RR RR@k nDCG nDCG@k AP AP@k Success@k Judged@k`; nDCG takes `gain='exp'`, all
        but
            Judged take `judged_only=True`.

    Returns:
        The measure; `str()` of it is the one way to write it.

    Raises:
        Problem: no such measure, a parameter that it lacks, a cutoff that is missing or 0. Near names are
        suggested.

    Example:
        >>> parse('nDCG( gain="exp" )@10')
        Measure(family='nDCG', cutoff=10, gain='exp', judged_only=False)
    """
    match = _NAME.fullmatch(name.strip())
    family = match["family"] if match else ""
    if match is None or family not in FAMILIES:
        raise _unknown(name, family)
    cutoff = int(match["cutoff"]) if match["cutoff"] else None
    if cutoff == 0 or (cutoff is None and FAMILIES[family]):
        found = "cutoff 0" if cutoff == 0 else "no cutoff"
        raise Problem(
            "measure", f"found {found} in {name}", expected="a rank from 1", remedy=f"Write {family}@10, say."
        )
    settings = {"gain": "linear", "judged_only": False} | _parameters(name, match["parameters"])
    measure = Measure(family, cutoff, str(settings["gain"]), settings["judged_only"] is True)
    if measure.gain not in GAINS or (measure.gain != "linear" and family != "nDCG"):
        raise _no_parameter(name, f"gain={measure.gain!r}")
    if measure.judged_only and family == "Judged":
        raise _no_parameter(name, "judged_only=True")
    return measure


def parse_all(names: str) -> tuple[Measure, ...]:
    """Read several measures, separated by blanks or by commas outside of parentheses; a repeat counts once.

    Raises:
        Problem: none is named, or see `parse`.

    Example:
        >>> [str(measure) for measure in parse_all("RR, nDCG(gain='exp', judged_only=True)@5 R@20")]
        ['RR', "nDCG(gain='exp', judged_only=True)@5", 'R@20']
    """
    found = re.findall(r"[^\s,()]+(?:\([^()]*\)[^\s,]*)?", names)
    if not found:
        raise Problem("measure", "found none", expected="names such as nDCG@10", remedy="Name at least one.")
    return tuple(dict.fromkeys(parse(name) for name in found))


def standard(cutoffs: Iterable[int]) -> tuple[Measure, ...]:
    """Return every measure of CONVENTIONS at every cutoff, and RR over the whole ranking.

    Example:
        >>> " ".join(map(str, standard([5])[:6]))
        "R@5 Rcap@5 P@5 RR@5 nDCG@5 nDCG(gain='exp')@5"
        >>> " ".join(map(str, standard([5])[6:]))
        'AP@5 Success@5 Judged@5 nDCG(judged_only=True)@5 RR'
    """
    plain = (
        "R",
        "Rcap",
        "P",
        "RR",
        "nDCG",
        "nDCG(gain='exp')",
        "AP",
        "Success",
        "Judged",
        "nDCG(judged_only=True)",
    )
    return (*(parse(f"{name}@{cutoff}") for cutoff in cutoffs for name in plain), parse("RR"))


def _parameters(name: str, text: str | None) -> dict[str, str | bool]:
    settings: dict[str, str | bool] = {}
    for part in text.split(",") if text and text.strip() else []:
        match = _PARAMETER.fullmatch(part)
        if match is None or match["key"] not in {"gain", "judged_only"} or match["key"] in settings:
            raise _no_parameter(name, part.strip())
        settings[match["key"]] = ast.literal_eval(match["value"])
    return settings


def _no_parameter(name: str, parameter: str) -> Problem:
    return Problem(
        "measure",
        f"found {parameter} in {name}",
        expected="gain='exp' (nDCG) or judged_only=True (all but Judged)",
        remedy="The lowest relevant grade is set once, for all measures: evaluate.min_relevance.",
    )


def _unknown(name: str, family: str) -> Problem:
    plain = family.casefold()
    folded = {known.casefold(): known for known in FAMILIES}
    near = OTHER_NAMES.get(plain) or folded.get(next(iter(get_close_matches(plain, folded, 1)), ""))
    remedy = f"Did you mean {near}{'@10' * FAMILIES[near]}?" if near else "Choose one of these."
    known = ", ".join(family + "@k" * needs for family, needs in FAMILIES.items())
    return Problem("measure", f"found {name!r}", expected=f"one of {known}", remedy=remedy)
