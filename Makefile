# `make demo` and `make test` need Python 3.11 or later and make; each builds what it needs in .venv.
PYTHON ?= python3
SEED ?=
RECORDINGS ?= ../shared/data
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test test-slow check bench accuracy comparison detected errata paper figures format clean

demo: $(VENV)/demo.stamp ## the main job: simulate, learn, compare, report
	$(BIN)/ibgn demo

test: $(VENV)/dev.stamp ## tests and doctests that are quick; SEED=17 draws other random numbers
	$(BIN)/python -m pytest -n auto -m "not slow" $(if $(SEED),--seed $(SEED))

test-slow: $(VENV)/dev.stamp ## the other tests; SEED=17 as above
	$(BIN)/python -m pytest -n auto -m slow $(if $(SEED),--seed $(SEED))

check: $(VENV)/dev.stamp ## lint, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/dev.stamp ## speed, as ratios within one run; RECORDINGS=folder of CSV files
	$(BIN)/python -m benchmarks.networks
	$(BIN)/python -m benchmarks.learning $(RECORDINGS)
	$(BIN)/python -m benchmarks.reading
	$(BIN)/python -m benchmarks.detection

accuracy: $(VENV)/dev.stamp ## settings and structures side by side, on RECORDINGS
	$(BIN)/python -m benchmarks.accuracy $(RECORDINGS)

comparison: $(VENV)/dev.stamp ## all methods side by side, on RECORDINGS and where only relations differ
	$(BIN)/python -m benchmarks.comparison $(RECORDINGS)
	$(BIN)/python -m benchmarks.comparison --curve

detected: $(VENV)/dev.stamp ## sensors and joints to intervals to activities, on simulations
	$(BIN)/python -m benchmarks.detected

errata: $(VENV)/dev.stamp ## where the paper does not work as printed
	$(BIN)/python -m benchmarks.errata

paper: $(VENV)/demo.stamp ## the paper's experiments, in a small protocol
	$(BIN)/ibgn paper --quick

figures: $(VENV)/dev.stamp ## every figure of the documentation
	$(BIN)/python -m docs.make_figures

format: $(VENV)/dev.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) ibgn-demo ibgn-paper .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "ibgn needs Python 3.11 or later; name one with make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/demo.stamp: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) --editable .
	@touch $@

$(VENV)/dev.stamp: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) --editable '.[dev]'
	@touch $@ $(VENV)/demo.stamp
