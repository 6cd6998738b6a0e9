PYTHON ?= python3
VENV := .venv
READY := $(VENV)/.ready

.PHONY: demo test check docs clean

demo: $(READY)  ## the paper's experiments at quick sizes: a table and a page to play with
	$(VENV)/bin/redunet reproduce --quick

test: $(READY)  ## all tests
	$(VENV)/bin/python -m pytest -n auto

check: $(READY)  ## style and types
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

docs: $(READY)  ## guide, paper-to-code map, findings, gallery
	$(VENV)/bin/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	$(VENV)/bin/sphinx-build -W --keep-going -q -b doctest docs docs/_build/doctest
	@echo "docs/_build/html/index.html"

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "redunet needs Python 3.11 or newer, this is %d.%d; say which with: make PYTHON=python3.12 ..." % sys.version_info[:2])'
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	$(VENV)/bin/python -m redunet.compiled
	@touch $(READY)

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
