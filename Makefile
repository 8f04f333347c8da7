.PHONY: up demo test test-unit lint fuzz tsan soak bench package build sample setup

# Starts the local environment in ./.baton: server, device, agent, sample apps. Ctrl-C stops it. The next start
# continues where it was left.
up: build sample
	.build/debug/baton-dev up

# Plays the hand-over from one worker to the next, with no terminal input, and checks every step.
demo: build sample
	rm -rf .baton/demo
	.build/debug/baton-dev demo --directory .baton/demo

# All tests, unit and integration, after the sample apps' own.
test: setup sample
	swift test --package-path Examples
	scripts/tests

# The tests that start neither Baton's programs nor a browser: everything except Tests/IntegrationTests.
test-unit: setup
	scripts/tests --skip '^IntegrationTests\.'

# Fuzzes every decoder of untrusted input with libFuzzer, each for SECONDS.
fuzz: setup
	scripts/stress/fuzz --seconds $(or $(SECONDS),30)

# Looks for data races in MSAL, its dependencies and the session machine.
tsan: setup
	scripts/stress/races

# Checks that take too long for continuous integration: fuzzes each decoder for SECONDS; removes each defence, one by
# one, and expects tests to fail (mutations.toml in Tests); explores sequences of five steps in the worker's browser;
# lets nodes of the server and PostgreSQL fail for ten minutes; then repeats hand-overs and searches for data races, TIMES
# times. Before that, builds the packages, upgrades them on booted machines, which needs
# root, and counts the instructions of apps and servers.
soak: build sample package
	scripts/try/upgrade
	scripts/measure/instructions
	scripts/stress/fuzz --seconds $(or $(SECONDS),600)
	scripts/mutations/run
	scripts/stress/soak $(or $(TIMES),20)

# Measures Baton against its budgets, in a release build, and writes docs/benchmarks. BENCH=device, hand-over, server,
# mdm, nodes or scaling runs one benchmark; scaling, the long one, runs only then.
bench: setup
	scripts/measure/bench $(BENCH)

# Checks code layout, imports, what an app downloads, the tables of docs/operations/size.md, and whether each mutation
# still finds its place in the sources.
lint:
	scripts/format
	scripts/check/imports
	scripts/check/shape
	scripts/check/app-downloads
	scripts/check/sizes
	scripts/mutations/run --self-test --check

build: setup
	scripts/swift build

sample: setup
	swift build --package-path Examples

# Installs missing Debian packages and foreign clients, and prints what it does.
setup:
	@scripts/setup

# Builds the Debian packages in .build/packages; needs a release build.
package: setup
	scripts/package/debian
