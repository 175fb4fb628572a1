# Two commands do everything on a fresh machine: `make run` and `make test`.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test lint types rules unit screens faults browser fuzz bench clean
.DEFAULT_GOAL := run

# The environment is rebuilt when the list of dependencies changes.
.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

run: .venv/ready
	$(BIN)/railbird serve

test: lint types rules unit screens faults

# The engine's own tests, with their coverage. Tracing is slow, so nothing else is traced: what plays
# random nights runs with the rest.
RULES := tests/engine tests/houses tests/hands/test_dead_button.py tests/test_presets.py \
	tests/test_rehearsal.py tests/test_timetable.py
NIGHTS := tests/engine/test_invariants.py
SCREENS := tests/e2e tests/dealer_console
PYTEST := $(BIN)/pytest --numprocesses auto --dist worksteal

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready
	$(BIN)/mypy

rules: .venv/ready
	$(PYTEST) $(RULES) --ignore $(NIGHTS) --cov --cov-report=term

unit: .venv/ready browser
	$(PYTEST) tests $(RULES:%=--ignore %) $(SCREENS:%=--ignore %) --ignore tests/faults
	$(PYTEST) $(NIGHTS)

# A hub that a busy machine stalls holds its clocks, as it should, and a screen then says so instead
# of what its test waits for: what failed is tried once more, by itself.
screens: .venv/ready browser
	$(PYTEST) $(SCREENS) || $(BIN)/pytest --last-failed $(SCREENS)

# Real kills, disks and wires, measured in milliseconds: alone, so that nothing else is measured, and
# on a shared machine with a second try for what was late in the first.
faults: .venv/ready browser
	$(BIN)/pytest tests/faults || $(BIN)/pytest --last-failed tests/faults

# Screens are tested in a real browser and a real terminal; where one is missing and may be installed,
# it is.
browser:
	@for tool in chromium tmux; do \
		command -v $$tool >/dev/null || [ "$$(id -u)" -ne 0 ] || \
			(apt-get update -qq && apt-get install -y -qq $$tool >/dev/null); \
	done

# Looks for input that breaks something, a minute for each target; `make fuzz SECONDS=600` for more.
SECONDS ?= 60
fuzz: .venv/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fuzz]'
	$(BIN)/python -m tests.fuzz $(SECONDS)

bench: .venv/ready
	$(BIN)/python bench/all.py

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .fuzz
