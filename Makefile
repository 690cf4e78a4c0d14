# Everything this project does, one word each. `make help` lists them.
# Each target first creates or updates .venv; nothing but pip uses the network.

PYTHON     ?= python3
PIP_FLAGS  ?=
ASSIGNMENT ?= 02_layer_norm
STUDENTS   ?= 12
DEMO       ?= demo

VENV  := .venv
BIN   := $(VENV)/bin
# Touched after every install: pip runs again only when a requirements file is newer.
READY := $(VENV)/.requirements-installed

.DEFAULT_GOAL := help
.PHONY: help demo test test-all lint lab lectures bundle publish stamp release nbgrader-suite kill-study site

help:  ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(READY)  ## grade a class of 12 on a real assignment (STUDENTS=30 for more)
	@echo "demo: grading $(STUDENTS) students in $(DEMO)/"
	@$(BIN)/python -m tools.demo $(ASSIGNMENT) --students $(STUDENTS) --into $(DEMO)

test: lint  ## lint, and run the tests that take minutes (docs/testing.md says what they leave out)
	@echo "test: running all tests but the slow ones, two at a time"
	@$(BIN)/python -m pytest -m "not slow"

test-all: lint  ## lint, and run all tests there are, nbgrader's own among them (an hour)
	@echo "test-all: running all tests, two at a time"
	@$(BIN)/python -m pytest
	@$(MAKE) --no-print-directory nbgrader-suite

lint: $(READY)  ## check layout, types and who imports whom (20 seconds)
	@echo "lint: ruff, mypy and import-linter"
	@$(BIN)/ruff check . && $(BIN)/ruff format --check --quiet .
	@cd grader && ../$(BIN)/mypy && ../$(BIN)/lint-imports --no-logo

nbgrader-suite: $(READY)  ## run nbgrader's own tests of autograding against ours (5 minutes)
	@echo "nbgrader-suite: nbgrader's tests, with nbseal autograde in the place of its command"
	@cd grader/tests && ../../$(BIN)/python -m nbgrader_suite

kill-study: $(READY)  ## kill -9 a process of a grading run, 50 times: is a score ever lost? (15 minutes)
	@echo "kill-study: killing a random process at a random moment, then running the same command again"
	@$(BIN)/python grader/benchmarks/kill_study.py

lab: $(READY)  ## open the course in JupyterLab
	@echo "lab: opening JupyterLab, Ctrl-C ends it"
	@$(BIN)/jupyter lab

lectures: $(READY)  ## run the lectures again and save their outputs
	@echo "lectures: running every lecture from top to bottom"
	@$(BIN)/python -m tools.lectures

site: $(READY)  ## render lectures, exercises and guides as pages in site/
	@echo "site: rendering lectures, exercises and guides into site/"
	@$(BIN)/python docs/site/build.py

bundle: $(READY)  ## make the student's zip: no solutions, no hidden tests
	@echo "bundle: collecting what students get"
	@$(BIN)/python -m tools.bundle

publish: $(READY)  ## put the student's bundle where notebooks fetch it from
	@echo "publish: sending the bundle to the place named in course.toml"
	@$(BIN)/python -m tools.publish

stamp: $(READY)  ## write badge and setup cell into every notebook
	@echo "stamp: writing badge and setup cell into lectures/ and solutions/"
	@$(BIN)/python -m tools.stamp

release: $(READY)  ## make exercises/ from solutions/ with nbgrader
	@echo "release: making exercises/ from solutions/"
	@$(BIN)/python -m nbseal release

$(READY): requirements.txt tools/requirements.txt grader/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "This course needs Python 3.11 or newer, and '$(PYTHON)' is $$($(PYTHON) --version 2>&1 || true): install one and say for example 'make $(MAKECMDGOALS) PYTHON=python3.12'." >&2; exit 1; }
	@test -x $(BIN)/python || { echo "Creating $(VENV)"; $(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }; }
	@echo "Installing requirements into $(VENV) (a few minutes the first time)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check $(PIP_FLAGS) -r tools/requirements.txt
	@touch $@
