# Every target needs Python 3.11 or later and make, and builds what else it needs in .venv.
PYTHON ?= python3
SEED ?=
MINUTES ?= 10
RECORDINGS ?= ../shared/data
VENV ?= .venv
CONSTRAINTS ?= constraints.txt
VERSION ?= 3.12
OTHER_VERSIONS ?= 3.12 3.13
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint $(CONSTRAINTS)
PYTEST := $(BIN)/python -m pytest -n auto --dist loadfile $(if $(SEED),--seed $(SEED))

# old versions call what their own dependencies have replaced since
OLD_WARN := -W ignore::DeprecationWarning -W ignore::PendingDeprecationWarning
# the lowest versions, for the lowest Python; kernels of its own, as numba keeps those of one version only
LOWEST := VENV=.venv-lowest CONSTRAINTS=.venv-lowest/lowest.txt NUMBA_CACHE_DIR=$(CURDIR)/.venv-lowest/kernels

.PHONY: help demo test test-slow test-lowest test-python try try-versions attack check bench bench-check accuracy comparison few generated detected errata paper figures docs notebooks samples transcripts dist format clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 22

demo: $(VENV)/demo.stamp ## the main job: simulate, learn, compare, report
	$(BIN)/ibgn demo --force

test: $(VENV)/dev.stamp ## tests and doctests that are quick; SEED=17 draws other random numbers
	$(PYTEST) -m "not slow" $(FLAGS)

test-slow: $(VENV)/dev.stamp ## the other tests; SEED=17 as above
	$(PYTEST) -m slow

test-lowest: ## make test with the lowest versions that pyproject.toml allows
	@python=$$(.ci/find_python 3.11) && $(MAKE) test $(LOWEST) PYTHON=$$python FLAGS='$(OLD_WARN)'

test-python: ## make test with another Python, VERSION=3.13
	@python=$$(.ci/find_python $(VERSION)) && $(MAKE) test VENV=.venv-$(VERSION) PYTHON=$$python

try: $(VENV)/demo.stamp ## every public name and a small demo
	$(BIN)/python -c 'import ibgn; [getattr(ibgn, name) for name in ibgn.__all__]'
	$(BIN)/ibgn demo --quick --jobs 1 --out build/demo --force

try-versions: ## make try with the lowest versions and with other Pythons, where they are installed
	@if python=$$(.ci/find_python 3.11); then $(MAKE) try $(LOWEST) PYTHON=$$python; fi
	@for version in $(OTHER_VERSIONS); do \
	  if python=$$(.ci/find_python $$version); \
	  then $(MAKE) try VENV=.venv-$$version PYTHON=$$python || exit; fi; \
	done

attack: $(VENV)/dev.stamp ## damaged files, odd command lines, kills, full disks; MINUTES=10 SEED=17
	$(BIN)/python -m tests.attack --minutes $(MINUTES) $(if $(SEED),--seed $(SEED))

check: $(VENV)/dev.stamp ## lint, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/dev.stamp ## speed and memory, as ratios within one run, into benchmarks/results.json; RECORDINGS=folder of CSV files
	$(BIN)/python -m benchmarks $(RECORDINGS)
	$(BIN)/python -m benchmarks.page
	$(BIN)/python -m benchmarks.networks
	$(BIN)/python -m benchmarks.learning $(RECORDINGS)
	$(BIN)/python -m benchmarks.detection

bench-check: $(VENV)/dev.stamp ## fails where a ratio fell by more than a third against benchmarks/results.json
	$(BIN)/python -m benchmarks --check $(RECORDINGS)

accuracy: $(VENV)/dev.stamp ## settings and structures side by side, on RECORDINGS
	$(BIN)/python -m benchmarks.accuracy $(RECORDINGS)

comparison: $(VENV)/dev.stamp ## all methods side by side, on RECORDINGS and where only relations differ
	$(BIN)/python -m benchmarks.comparison $(RECORDINGS)
	$(BIN)/python -m benchmarks.comparison --curve

few: $(VENV)/dev.stamp ## few instances per activity, missing labels, many activities; on RECORDINGS
	$(BIN)/python -m benchmarks.few $(RECORDINGS)

generated: $(VENV)/dev.stamp ## can a classifier tell generated instances from real ones? on RECORDINGS
	$(BIN)/python -m benchmarks.generated $(RECORDINGS)

detected: $(VENV)/dev.stamp ## sensors and joints to intervals to activities, on simulations
	$(BIN)/python -m benchmarks.detected

errata: $(VENV)/dev.stamp ## where the paper does not work as printed
	$(BIN)/python -m benchmarks.errata

paper: $(VENV)/demo.stamp ## the paper's experiments, in a small protocol
	$(BIN)/ibgn paper --quick --force

figures: $(VENV)/dev.stamp ## every figure of the documentation
	$(BIN)/python -m docs.make_figures

docs: $(VENV)/docs.stamp ## the documentation as a site: build/docs/index.html
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet --builder html docs build/docs
	@echo "open build/docs/index.html"

notebooks: $(VENV)/docs.stamp ## the notebooks among the examples
	$(BIN)/python docs/make_notebooks.py

samples: $(VENV)/dev.stamp ## the small recordings that come with the library
	$(BIN)/python docs/make_samples.py

transcripts: $(VENV)/dev.stamp ## what the commands of docs/first_ten_minutes.md print
	$(BIN)/python docs/make_transcripts.py

dist: $(VENV)/dev.stamp ## wheel and source distribution, tried in an empty environment
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python .ci/try_dist.py dist

format: $(VENV)/dev.stamp ## put the code in shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## remove all that make made
	rm -rf docs/gallery docs/api/generated $(VENV) .venv-* build dist ibgn-demo ibgn-paper .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "ibgn needs Python 3.11 or later; name one with make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)

.venv-lowest/lowest.txt: $(BIN)/python pyproject.toml .ci/lowest.py
	$(BIN)/python .ci/lowest.py pyproject.toml > $@

$(VENV)/demo.stamp: $(BIN)/python pyproject.toml $(CONSTRAINTS)
	$(PIP) --editable .
	@touch $@

$(VENV)/docs.stamp: $(BIN)/python pyproject.toml $(CONSTRAINTS)
	$(PIP) --editable '.[docs]'
	@touch $@

$(VENV)/dev.stamp: $(BIN)/python pyproject.toml $(CONSTRAINTS)
	$(PIP) --editable '.[dev]'
	@touch $@ $(VENV)/demo.stamp
