.PHONY: up demo test lint setup

# Starts the whole world on loopback: server, device, agent, sample apps. Ctrl-C ends it; it starts again where it left off.
up: setup
	swift build
	$(MAKE) -C Examples/FirstlineWorker
	.build/debug/baton up

# Plays the hand-over from one worker to the next, with no terminal input, and checks every step.
demo: setup
	swift build
	$(MAKE) -C Examples/FirstlineWorker
	.build/debug/baton demo

# Every test, unit and integration.
test: setup
	swift test

lint:
	scripts/format
	scripts/check-imports

setup:
	scripts/setup
