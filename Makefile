# Two commands do everything on a fresh machine: `make run` and `make test`.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test lint types unit faults browser fuzz bench clean
.DEFAULT_GOAL := run

# The environment is rebuilt when the list of dependencies changes.
.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

run: .venv/ready
	$(BIN)/railbird serve

test: lint types unit faults

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready
	$(BIN)/mypy

unit: .venv/ready browser
	$(BIN)/pytest --numprocesses auto --dist worksteal --ignore tests/faults --cov --cov-report=term

# Real kills, disks and wires, measured in milliseconds: alone, so that nothing else is measured, and
# on a shared machine with a second try for what was late in the first.
faults: .venv/ready
	$(BIN)/pytest tests/faults || $(BIN)/pytest --last-failed tests/faults

# Screens are tested in a real browser; where it is missing and may be installed, it is.
browser:
	@command -v chromium >/dev/null || [ "$$(id -u)" -ne 0 ] || \
		(apt-get update -qq && apt-get install -y -qq chromium >/dev/null)

# Looks for input that breaks something, a minute for each target; `make fuzz SECONDS=600` for more.
SECONDS ?= 60
fuzz: .venv/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fuzz]'
	$(BIN)/python -m tests.fuzz $(SECONDS)

bench: .venv/ready
	$(BIN)/python bench/all.py

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .fuzz
