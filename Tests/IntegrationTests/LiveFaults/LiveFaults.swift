// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

/// Tests on a live device whose programs die, whose disk is full, whose state is damaged or whose TPM is missing.
@Suite(.serialized, .live, .timeLimit(.minutes(Soak.isRunning ? 240 : 20))) enum LiveFaults {}
