# Shortcuts for everyday work. CMake builds; scripts/setup.sh installs missing tools.

BUILD  ?= build
PREFIX ?= /usr/local
STAGES ?=

ifneq ($(origin CC),default)
CMAKE_ARGS += -DCMAKE_C_COMPILER=$(CC)
endif

# CMake starts a build of its own, with one job per processor. The variables that this make passes to its
# children would change the number of jobs there.
CMAKE := env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL cmake

.PHONY: all configure demo test test-all bench docs install wheel deb lint format clean help
.NOTPARALLEL:

all: configure ## Build the library, the tool, the examples and the benchmarks into build/ (the default)
	@$(CMAKE) --build $(BUILD) -j "$$(nproc)"

configure:
	@scripts/setup.sh build
	@$(CMAKE) -S . -B $(BUILD) $(CMAKE_ARGS) -Wno-dev --log-level=WARNING >/dev/null

# Builds only the programs that the demo needs, so that it starts quickly.
demo: configure ## Show what Pitwall does, in a minute: trains, reports, compares two variants, kills a run
	@scripts/quietly.sh "building the library, the tool and four examples" \
	    $(CMAKE) --build $(BUILD) -j "$$(nproc)" --target demo_programs
	@scripts/demo.sh $(BUILD)

test: ## Run all tests: sanitizers, the ARM build and fuzzers too; STAGES="unit system" selects some
	@scripts/setup.sh build test
	@BUILD="$(BUILD)" tests/run.py $(STAGES)

test-all: ## The same with all statistical data, more kills and current frameworks (7 GB); takes an hour
	@$(MAKE) --no-print-directory wheel deb
	@PITWALL_TEST_ALL=1 $(MAKE) --no-print-directory test

bench: all ## Measure what recording costs, and compare it with other tools
	@scripts/setup.sh build bench
	@BUILD="$(BUILD)" PITWALL_BUILD="$(abspath $(BUILD))" bench/run.sh

docs: all ## Make docs/reference-*.md from the headers, docs/fields.md from the field tables
	@scripts/api_reference.py
	@PITWALL_BUILD="$(abspath $(BUILD))" scripts/fields_page.py

install: configure ## Install under PREFIX (/usr/local), inside DESTDIR if it is set
	@$(CMAKE) --build $(BUILD) -j "$$(nproc)" --target installed
	@DESTDIR="$(DESTDIR)" $(CMAKE) --install $(BUILD) --prefix "$(PREFIX)"
	@[ -n "$(DESTDIR)" ] || [ "$$(id -u)" -ne 0 ] || ldconfig

wheel: ## Build an sdist, and a wheel for each installed Python from 3.9 to 3.13, in build/wheels
	@scripts/setup.sh build package
	@scripts/make_wheels.py $(BUILD)

deb: ## Build Debian packages in build/debs, checked by lintian
	@scripts/setup.sh build package
	@scripts/make_deb.sh $(BUILD)

lint: all ## Check the sources: clang-format, clang-tidy, cppcheck, shellcheck, ruff, mypy, plain words
	@scripts/setup.sh build lint
	@scripts/lint.sh $(BUILD)

format: ## Format the C sources with clang-format
	@scripts/setup.sh lint
	@scripts/sources.sh | xargs clang-format -i

clean: ## Remove build/
	rm -rf $(BUILD)

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' Makefile | expand -t 10
