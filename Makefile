.PHONY: up demo test test-unit lint fuzz tsan soak package build sample setup

# Starts the local environment in ./.baton: server, device, agent, sample apps. Ctrl-C ends it; the next start goes
# on where it was left.
up: build sample
	.build/debug/baton up

# Plays the hand-over from one worker to the next, with no terminal input, and checks every step.
demo: build sample
	rm -rf .baton/demo
	.build/debug/baton demo --directory .baton/demo

# Every test, unit and integration; the sample app's own first.
test: setup sample
	swift test --package-path Examples/FirstlineWorker
	scripts/tests

# The tests that start none of Baton's programs and no browser: everything but Tests/IntegrationTests.
test-unit: setup
	scripts/tests --skip '^IntegrationTests\.'

# Feeds every decoder of foreign bytes with what libFuzzer makes up, each for SECONDS.
fuzz: setup
	scripts/fuzz --seconds $(or $(SECONDS),30)

# Looks for data races in MSAL, in what it stands on and in the session machine.
tsan: setup
	scripts/races

# What takes longer than continuous integration may: fuzzes each decoder for SECONDS, takes each guard of the session
# machine and each defence of the identity platform, of a device's keys and of its leases away and wants that noticed, plays
# every order of five acts in the worker's browser, then hands the device over and looks for races TIMES times.
soak: build sample
	scripts/fuzz --seconds $(or $(SECONDS),600)
	scripts/break-session-machine
	scripts/break-defences
	scripts/soak $(or $(TIMES),20)

# The form of the code, its words, who imports whom, and what an app downloads.
lint:
	scripts/format
	scripts/check-words
	scripts/check-imports
	scripts/check-shape
	scripts/check-app-downloads

build: setup
	scripts/swift build

sample: setup
	swift build --package-path Examples/FirstlineWorker

# Installs the Debian packages and the foreign clients that are missing; says so.
setup:
	@scripts/setup

# The Debian packages, in .build/packages; takes a release build.
package: setup
	scripts/package
