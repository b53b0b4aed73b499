# The front door. CMake does the building; scripts/setup.sh gets the tools that are missing.

BUILD  ?= build
PREFIX ?= /usr/local
STAGES ?=

ifneq ($(origin CC),default)
CMAKE_ARGS += -DCMAKE_C_COMPILER=$(CC)
endif

# The build below is cmake's to run, with as many jobs as there are processors: what this make
# tells its children about jobs and folders is not for it.
CMAKE := env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL cmake

.PHONY: all configure demo test test-all bench docs install wheel deb lint format clean help
.NOTPARALLEL:

all: configure ## Build the library, the tool, the examples and the benchmarks into build/ (the default)
	@$(CMAKE) --build $(BUILD) -j "$$(nproc)"

configure:
	@scripts/setup.sh build
	@$(CMAKE) -S . -B $(BUILD) $(CMAKE_ARGS) -Wno-dev --log-level=WARNING >/dev/null

# Only what it shows is built: nobody wants to wait for the tests of a thing not seen yet.
demo: configure ## A minute to look at: trains, reports, races two variants, kills a run
	@scripts/quietly.sh "building the library, the tool and four examples" \
	    $(CMAKE) --build $(BUILD) -j "$$(nproc)" --target demo_programs
	@scripts/demo.sh $(BUILD)

test: ## Run every test, sanitizers, the ARM build and the fuzzers; STAGES="unit system" picks some
	@scripts/setup.sh build test
	@BUILD="$(BUILD)" tests/run.py $(STAGES)

test-all: ## The same with all data of the statistical tests, more kills, and current frameworks (7 GB): an hour
	@$(MAKE) --no-print-directory wheel deb
	@PITWALL_TEST_ALL=1 $(MAKE) --no-print-directory test

bench: all ## Measure what recording costs, hot and cold, beside its peers
	@scripts/setup.sh build bench
	@BUILD="$(BUILD)" PITWALL_BUILD="$(abspath $(BUILD))" bench/run.sh

docs: all ## Make docs/reference-*.md from the headers, docs/fields.md from the field tables
	@scripts/api_reference.py
	@PITWALL_BUILD="$(abspath $(BUILD))" scripts/fields_page.py

install: configure ## Install under PREFIX (/usr/local), below DESTDIR if it is given
	@$(CMAKE) --build $(BUILD) -j "$$(nproc)" --target installed
	@DESTDIR="$(DESTDIR)" $(CMAKE) --install $(BUILD) --prefix "$(PREFIX)"
	@[ -n "$(DESTDIR)" ] || [ "$$(id -u)" -ne 0 ] || ldconfig

wheel: ## An sdist, and wheels for every Python from 3.9 to 3.13 on this machine, into build/wheels
	@scripts/setup.sh build package
	@scripts/make_wheels.py $(BUILD)

deb: ## Debian packages, checked by lintian, into build/debs
	@scripts/setup.sh build package
	@scripts/make_deb.sh $(BUILD)

lint: all ## Check the sources: clang-format, clang-tidy, cppcheck, shellcheck, ruff, mypy
	@scripts/setup.sh build lint
	@scripts/lint.sh $(BUILD)

format: ## Bring the sources into form with clang-format
	@scripts/setup.sh lint
	@scripts/sources.sh | xargs clang-format -i

clean: ## Remove build/
	rm -rf $(BUILD)

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' Makefile | expand -t 10
