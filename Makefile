# Tributary. Each target does its own set-up on Debian 12 with Swift 6.3; it may run again at any time.
#
#   make demo      the whole path on this machine: two participants, a server, FHIR and i2b2. The study remains in
#                  demo-study/, with commands to try (JSON=1: JSON as last line;
#                  DATABASE=postgresql://..., QUEUE=...: its stores on PostgreSQL)
#   make test      unit tests, then tests of the binary over HTTP and its commands (KILL_ROUNDS=30: more rounds of kill -9)
#   make attack    the long form of the attack tests, on loopback (ATTACK_SECONDS=30, KILL_ROUNDS=100)
#   make programs  FHIR and SMART clients of other authors against the server, and its pages in Chromium
#                  (OPERATIONS=all: every operation of the OpenAPI document; needs PyPI once)
#   make release   the optimised program, .build/release/tributary
#   make package   dist/: the Debian package and the tarball, with the Swift runtime linked statically
#   make bench     speed as ratios to named references (WRITE=1: into docs/benchmarks.md)
#   make format, make lint, make docs
#
# TRIBUTARY_SCRATCH=DIR: the folder of the build products instead of .build; those of the package are in DIR-package.

MAKEFLAGS += --no-print-directory
SHELL := /bin/sh
ROOT := $(dir $(abspath $(lastword $(MAKEFILE_LIST))))
SCRATCH := $(abspath $(or $(TRIBUTARY_SCRATCH),$(ROOT).build))
PACKAGE_SCRATCH := $(SCRATCH)-package
export PATH := $(ROOT).build-tools/bin:$(PATH):/opt/swift/usr/bin:/usr/share/swift/usr/bin:$(HOME)/.local/share/swiftly/bin
export TRIBUTARY_BIN := $(SCRATCH)/release/tributary

# Published test data of other authors. Without them, the tests that need them are skipped by name.
ifndef TRIBUTARY_CONFORMANCE
ifneq ($(wildcard $(ROOT)../shared/conformance),)
export TRIBUTARY_CONFORMANCE := $(abspath $(ROOT)../shared/conformance)
endif
endif

SWIFT_SOURCES = Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources Fuzzing/Package.swift Fuzzing/Sources

.PHONY: help demo attack test program debug unit-tests integration-tests programs package release bench format lint docs setup-demo setup-test setup-programs setup-package setup-bench
.NOTPARALLEL:

help:
	@sed -n '3,15s/^# \{0,1\}//p' $(ROOT)Makefile

setup-demo setup-test setup-programs setup-package setup-bench: setup-%:
	@$(ROOT)Scripts/setup.sh --for $*

release:
	@echo "== release build (the first takes some minutes)" >&2
	@cd $(ROOT) && swift build -c release --product tributary --scratch-path $(SCRATCH) >&2

demo: setup-demo program
	@echo "== demo" >&2
	@cd $(ROOT) && exec $(SCRATCH)/debug/tributary demo --keep demo-study $(if $(JSON),--json) \
		$(if $(QUEUE),--queue '$(QUEUE)') $(if $(DATABASE),--database '$(DATABASE)')

test: setup-test unit-tests integration-tests
	@echo "== all tests passed"

# One debug build serves the demonstration, the unit tests and the integration tests. Debug information would take a
# quarter of its time; optimised C takes 20 s of CPU more for each copy of BoringSSL, and a hash of a password needs it.
DEBUG_BUILD = swift build -debug-info-format none -Xcc -O2 --scratch-path $(SCRATCH)

program:
	@echo "== debug build of the program (the first takes some minutes)" >&2
	@cd $(ROOT) && $(DEBUG_BUILD) --product tributary >&2

debug:
	@echo "== debug build with tests (the first takes some minutes)"
	@cd $(ROOT) && $(DEBUG_BUILD) --build-tests

unit-tests: debug
	@$(ROOT)Scripts/check-dependencies.py --note
	@echo "== doc comments of public symbols"
	@$(ROOT)Scripts/measure-documentation.py --scratch $(SCRATCH)
	@echo "== unit tests$(if $(TRIBUTARY_CONFORMANCE),, (without published data: TRIBUTARY_CONFORMANCE is not set))"
	@$(ROOT)Scripts/unit-tests.sh $(SCRATCH)

integration-tests: debug
	@echo "== integration tests of the binary"
	@cd $(ROOT) && TRIBUTARY_SCRATCH=$(SCRATCH) TRIBUTARY_BIN=$(SCRATCH)/debug/tributary \
		TRIBUTARY_KILL_ROUNDS=$(or $(KILL_ROUNDS),$(TRIBUTARY_KILL_ROUNDS),3) \
		python3 -B Tests/Integration/run.py

attack: setup-test release
	@echo "== attacks"
	@cd $(ROOT)Tests/Integration && TRIBUTARY_ATTACK_SECONDS=$(or $(ATTACK_SECONDS),30) \
		TRIBUTARY_KILL_ROUNDS=$(or $(KILL_ROUNDS),100) TRIBUTARY_HOSTILE_GOOD=$(or $(HOSTILE_GOOD),1000) \
		python3 -B -m unittest -v test_attacks test_bounded test_attack_writes test_hostile test_two_processes test_recovery

# The binary of the package needs no Swift. It is built once, and the programs of others are tested with it.
package: setup-package
	@echo "== release build with the Swift runtime in it (the first takes some minutes)" >&2
	@cd $(ROOT) && swift build -c release --product tributary --static-swift-stdlib --disable-local-rpath --scratch-path $(PACKAGE_SCRATCH) >&2
	@cd $(ROOT) && files=$$(Scripts/make-package.py --binary $(PACKAGE_SCRATCH)/release/tributary \
		--checkouts $(PACKAGE_SCRATCH)/checkouts) && echo "$$files" && lintian --fail-on error $$(echo "$$files" | grep 'deb$$')

programs: setup-programs package
	@echo "== programs of other authors against the server"
	@cd $(ROOT) && TRIBUTARY_BIN=$(PACKAGE_SCRATCH)/release/tributary \
		TRIBUTARY_OPERATIONS=$(or $(OPERATIONS),$(TRIBUTARY_OPERATIONS)) .build-tools/programs/bin/python -B Tests/Integration/run.py --folder Tests/Programs

bench: setup-bench release
	@cd $(ROOT) && Benchmarks/run.sh $(if $(WRITE),--write)

format:
	@cd $(ROOT) && swift format -i -r $(SWIFT_SOURCES)

lint:
	@cd $(ROOT) && swift format lint --strict -r $(SWIFT_SOURCES)
	@echo "== the format is correct"
	@cd $(ROOT) && swift package resolve --scratch-path $(SCRATCH) >&2
	@cd $(ROOT) && python3 -B Scripts/check-apple-platforms.py --scratch $(SCRATCH)
	@$(ROOT)Scripts/check-dependencies.py

docs: setup-demo
	@cd $(ROOT) && Scripts/make-docs.sh $(SCRATCH)
