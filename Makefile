# Two commands do everything on a fresh machine: `make run` and `make test`.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test lint types unit bench clean
.DEFAULT_GOAL := run

# The environment is rebuilt when the list of dependencies changes.
.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

run: .venv/ready
	$(BIN)/railbird timetable star-brisbane-saturday

test: lint types unit

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready
	$(BIN)/mypy

unit: .venv/ready
	$(BIN)/pytest --cov --cov-report=term

bench: .venv/ready
	$(BIN)/python bench/engine.py

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
