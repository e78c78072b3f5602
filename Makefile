# `make` lists the targets. Everything runs in .venv, which is made from requirements.lock when it is missing or
# older than the lock. To use an environment of your own instead:  make book PY=/path/to/python
# Another interpreter for .venv:  make book PYTHON=python3.12      Another place:  make book VENV=/tmp/env

SHELL := /bin/bash
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV ?= .venv
PORT ?= 8000
WORKERS ?= 2
PYTEST_ARGS ?=

ifdef PY
ENVIRONMENT :=
else
PY := $(abspath $(VENV))/bin/python
ENVIRONMENT := $(VENV)/.installed
endif

# One thread a process: several processes run at once, and sums come out in the same order everywhere.
export OPENBLAS_NUM_THREADS := 1
export OMP_NUM_THREADS := 1
export PYTHONHASHSEED := 0
# set by some CI services; with it the kernels would draw no figure
unexport MPLBACKEND

# in CI nothing is taken on trust from an earlier build; FORCE= (empty) or FORCE=--force decides otherwise
FORCE ?= $(if $(CI),--force)

.PHONY: help env torch book chapter students teachers pdf serve test quick lint bench data lab lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(VENV)/.installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info; v >= (3, 11) or sys.exit("error: " + sys.executable + " is Python " + sys.version.split()[0] + "; rlscale needs 3.11 or newer: make PYTHON=python3.12 ...")'
	@test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --require-hashes -r requirements.lock
	$(VENV)/bin/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

env: $(ENVIRONMENT) ## make .venv from requirements.lock, or bring it up to date

torch: $(ENVIRONMENT)
	$(PY) -m pip install --quiet torch==2.13.0

book: $(ENVIRONMENT) ## execute what changed, build the pages: _build/html/index.html
	@$(PY) -m rlscale.pages $(FORCE)

chapter: $(ENVIRONMENT) ## execute one chapter: make chapter NAME=01-sigmoid-law
	@test -n "$(NAME)" || { echo 'error: which chapter? make chapter NAME=01-sigmoid-law' >&2; exit 2; }
	@$(PY) -m rlscale.book --force $(NAME)

students: $(ENVIRONMENT) ## the notebooks without solutions and outputs: _build/students
	@$(PY) -m rlscale.editions students

teachers: $(ENVIRONMENT) ## one zip for a class: slides, blank notebooks, key, lesson plans
	@$(PY) -m rlscale.editions teachers

pdf: $(ENVIRONMENT) ## the built pages as one PDF (needs Chromium and its driver; make book first)
	@$(PY) -m rlscale.pdf

serve: book ## build the book and show it at http://localhost:8000 (PORT=...)
	$(PY) -m http.server --directory _build/html --bind 127.0.0.1 $(PORT)

test: book lint ## the whole test suite: lint, types, units, doctests, notebooks, built pages in a browser
	$(PY) -m pytest -n $(WORKERS) --dist loadgroup --doctest-modules rlscale tests $(PYTEST_ARGS)
	@# executed in copies, since a chapter that shows a command may write the file it is about
	rm -rf _build/nbval && mkdir -p _build/nbval && cp book/*.ipynb _build/nbval
	$(PY) -m pytest -n $(WORKERS) --dist loadscope --nbval --nbval-current-env --nbval-kernel-name python3 \
		--nbval-cell-timeout 300 --nbval-sanitize-with tests/nbval_sanitize.cfg _build/nbval

quick: $(ENVIRONMENT) ## unit tests and doctests that take seconds
	$(PY) -m pytest -n $(WORKERS) --dist loadgroup -m "not slow and not browser" --doctest-modules rlscale tests $(PYTEST_ARGS)

lint: $(ENVIRONMENT) ## style and types
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy

bench: $(ENVIRONMENT) ## speed and accuracy against other fitters, side by side
	@for script in benchmarks/*.py; do echo "== $$script"; $(PY) $$script || exit 1; done

data: $(ENVIRONMENT) ## check every table of data/ against its schema and write what is derived from them
	$(PY) -m rlscale.tables
	$(PY) -m rlscale.errata

lab: torch ## train what is missing of the laboratory's runs (resumable) and put them into data/lab
	$(PY) -m rlscale.cli lab sweep
	$(PY) -m rlscale.cli lab pack

lock: ## write requirements.lock and environment.yml anew from pyproject.toml (needs uv)
	$(PYTHON) .ci/lock.py $(KEEP)

clean: ## remove what was built (not .venv)
	rm -rf _build build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
