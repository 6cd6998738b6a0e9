PYTHON ?= python3
VENV := .venv
READY := $(VENV)/.ready
# The oldest versions of the dependencies are those for the oldest Python.
MINIMA := .venv-minima
MINIMA_PYTHON ?= $(or $(shell command -v python3.11),$(PYTHON))

.PHONY: demo test test-minima check docs release-check clean

demo: $(READY)  ## the paper's experiments at quick sizes: a table and a page to play with
	$(VENV)/bin/redunet reproduce --quick

test: $(READY)  ## all tests
	$(VENV)/bin/python -m pytest -n auto

test-minima: $(MINIMA)/.ready  ## all tests with the oldest versions that pyproject.toml allows
	NUMBA_CACHE_DIR=$(CURDIR)/$(MINIMA)/kernels $(MINIMA)/bin/python -m pytest -n auto -W ignore::DeprecationWarning

check: $(READY)  ## style and types
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

docs: $(READY)  ## guide, paper-to-code map, findings, gallery
	$(VENV)/bin/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	$(VENV)/bin/sphinx-build -W --keep-going -q -b doctest docs docs/_build/doctest
	@echo "docs/_build/html/index.html"

release-check:  ## build the packages, check them, and try the wheel in an environment of its own
	PYTHON=$(PYTHON) .ci/release-check

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "redunet needs Python 3.11 or newer, this is %d.%d; say which with: make PYTHON=python3.12 ..." % sys.version_info[:2])'
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	$(VENV)/bin/python -m redunet.compiled
	@touch $(READY)

$(MINIMA)/.ready: pyproject.toml .ci/minima.txt
	$(MINIMA_PYTHON) -m venv $(MINIMA)
	$(MINIMA)/bin/pip install --quiet --disable-pip-version-check --requirement .ci/minima.txt --editable '.[files,plot]'
	NUMBA_CACHE_DIR=$(CURDIR)/$(MINIMA)/kernels $(MINIMA)/bin/python -m redunet.compiled
	@touch $@

clean:
	rm -rf $(VENV) $(MINIMA) .pytest_cache .mypy_cache .ruff_cache .hypothesis
