"""Rows to add to the sound dataset, as lines."""

from __future__ import annotations

import json


def rows(*records):
    return [json.dumps(record) for record in records]


def document(name, text="A sentence of some length.", **fields):
    return {"_id": name, "text": text, **fields}


def query(name, text="what", **metadata):
    return {"_id": name, "text": text, "metadata": {"split": "test", **metadata}}
