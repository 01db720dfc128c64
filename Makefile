# One command for each thing a visitor wants. Needs GNU make and a Python >= 3.11; the rest
# is installed into .venv on first use and again whenever pyproject.toml changes.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# The newest usable interpreter; `make PYTHON=/path/to/python3 ...` chooses another.
PYTHON ?= $(shell for python in python3.14 python3.13 python3.12 python3.11 python3; do \
	"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 \
	&& echo "$$python" && break; done)

BIN := .venv/bin
# A test that hangs ends its run with a traceback of every thread, instead of a silent night.
PYTEST := $(BIN)/python -m pytest -o faulthandler_timeout=900 -o faulthandler_exit_on_timeout=true
# Much of a test is waiting for processes, so there is one worker more than the two processors.
WORKERS ?= 3
EFFORT ?= full
INPUTS ?= 100000
USERS ?= 3

.PHONY: help
help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 20

# $(1): what is installed, as pip names it.
define installed
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
		{ echo "make: Python 3.11 or newer is needed; put one on PATH or say make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(BIN)/python -c 'import pip' 2>/dev/null || "$(PYTHON)" -m venv --clear .venv || \
		{ echo "make: $(PYTHON) cannot make a virtual environment; on Debian: apt-get install python3-venv" >&2; exit 1; }
	@echo "make: installing $(1) into .venv; the first time takes a minute or more"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '$(1)'
	@touch $@
endef

# The lessons and the command need less than the tests do.
.venv/.usable: pyproject.toml
	$(call installed,.)

.venv/.ready: pyproject.toml
	$(call installed,.[test])
	@touch .venv/.usable

.PHONY: usable
usable: .venv/.usable

.PHONY: ready
ready: .venv/.ready ## install into .venv what the tests need, too

.PHONY: lab
lab: usable ## open JupyterLab on the first notebook
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/mcp-workbench lab

.PHONY: demo
demo: usable ## print the startup report of four bundled peers
	@# One of the four is refused on purpose, which the command reports as exit status 3.
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/mcp-workbench report notebooks/demo.mcp.json; status=$$?; \
		if [ $$status -eq 3 ]; then echo "One demo peer is refused on purpose: exit status 3 is the right one here."; \
		else exit $$status; fi

.PHONY: test
test: ready ## run every test: unit, property, integration, interop, browser, notebooks
	@sh .ci/chromium
	@# Exercises are among the tests: there nbval runs them solved, unsolved and broken.
	@status=0; \
		echo "pytest tests"; \
		$(PYTEST) -n $(WORKERS) --dist loadscope --max-worker-restart 2 tests || status=1; \
		echo "pytest notebooks"; \
		$(PYTEST) -n $(WORKERS) --dist loadscope --max-worker-restart 2 --nbval --nbval-current-env \
			--nbval-cell-timeout=60 --ignore=notebooks/exercises notebooks || status=1; \
		exit $$status

.PHONY: lint
lint: ready ## lint, formatting, types, layers
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy
	$(BIN)/lint-imports

.PHONY: check
check: lint ## lint, and the tests that need no network or browser
	$(PYTEST) -q -n $(WORKERS) --dist loadscope --max-worker-restart 2 -m "not interop and not browser and not storm" tests

.PHONY: chaos
chaos: ready ## ten storms of 5,000 calls, and real processes killed; with figures
	$(PYTEST) -n $(WORKERS) --dist load --durations 0 --durations-min 1 -rP tests/chaos

.PHONY: fuzz
fuzz: ready ## a hundred thousand hostile inputs for every reader of foreign bytes (half an hour)
	$(BIN)/python tests/hostile/fuzz.py --inputs $(INPUTS)

.PHONY: hub-cost
hub-cost: ready ## measure what an idle student of a class on a shared server costs (USERS=3)
	PYTHONPATH=tests/support $(BIN)/python tests/hub/idle_cost.py --users $(USERS)

.PHONY: fuzz-guided
fuzz-guided: ready ## the same readers, guided by coverage, a minute each, where atheris has a wheel
	$(BIN)/python -m pip install --quiet --disable-pip-version-check atheris
	$(BIN)/python tests/hostile/guided.py

.PHONY: clean-interop
clean-interop: ## forget the servers installed for the interop tests
	rm -rf build/interop

.PHONY: notebooks
notebooks: ready ## run the lessons and write their outputs back
	$(BIN)/python notebooks/write_outputs.py

.PHONY: docs
docs: ready ## build the documentation into build/docs/html; a warning is an error
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs build/docs/html
	@echo "build/docs/html/index.html"

.PHONY: links
links: ready ## ask every address that the documentation names whether it answers (network)
	$(BIN)/python -m sphinx -q --keep-going -b linkcheck docs build/docs/links

.PHONY: bench
bench: ready ## measure this client beside others and the bare pipe (EFFORT=quick: a minute)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	$(BIN)/python tests/benchmarks/bench.py --effort $(EFFORT)
