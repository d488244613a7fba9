# Verbs of this repository. `make help` lists them.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
# Nothing phones home.
export DVC_NO_ANALYTICS := 1
export DO_NOT_TRACK := 1
export PREFECT_SERVER_ANALYTICS_ENABLED := false
STAMP := $(VENV)/.stamp

.PHONY: help setup data run lab test lint verify accept server deploy worker lock

help:  ## list the verbs
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-8s %s\n", $$1, $$2}'

setup: $(STAMP)  ## build the environment in .venv from requirements.lock

# torch by a call of its own: where an index offers a CPU build, a hash for one build would refuse the other.
$(STAMP): requirements.lock constraints.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Environment problem: $(PYTHON) is older than 3.11. Install Python 3.11 or newer, or name one: make PYTHON=python3.12 setup" >&2; exit 2; }
	@echo "vara: building .venv (some minutes the first time)"
	@test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	@python -m pip install --quiet --disable-pip-version-check "$$(grep -m1 '^torch==' constraints.txt)" -c constraints.txt
	@python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements.lock
	@python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@python -m pip check
	@touch $@

data: setup  ## the shipped dataset, from the remote inside this repository
	@dvc pull --quiet --remote shipped

run: data  ## corpus to metrics: dvc pull, dvc repro, the result table
	@dvc repro
	@vara show

# DVC cannot see that the machine is another one, and the store can: so the measured stages are always started.
lab: data  ## what depends on the machine: latency, memory; needs an idle one
	@dvc repro
	@dvc repro --force --single-item lab/dvc.yaml
	@vara show --lab

test: data  ## the whole test suite
	@python -m pytest -n 2 --dist loadgroup

lint: setup  ## formatting, lint, types, rooms
	@ruff format --check .
	@ruff check .
	@mypy
	@lint-imports --no-cache

verify: data  ## expected numbers on real collections, kills, forced CPU paths (slow)
	@python -m pytest tests/verify

accept: data  ## write the expected numbers that moved, if CHANGELOG.md says why (COLLECTIONS="…"; slow)
	@python -m tests.verify.accept $(COLLECTIONS)

server: setup  ## a Prefect server with its UI on http://127.0.0.1:4200
	@prefect server start --host 127.0.0.1

lock: setup  ## for maintainers: resolve pyproject.toml anew into requirements.lock and constraints.txt
	@python -m pip install --quiet uv
	@python .ci/lock.py

# Both talk to the server of `make server`, or to the one that PREFECT_API_URL names.
deploy worker: export PREFECT_API_URL := $(or $(PREFECT_API_URL),http://127.0.0.1:4200/api)

deploy: setup  ## put the pipeline's deployment on the Prefect server
	@prefect work-pool inspect vara >/dev/null 2>&1 || prefect work-pool create vara --type process
	@prefect --no-prompt deploy --all

worker: setup  ## a worker that runs what is started in the Prefect UI
	@prefect worker start --pool vara --type process
