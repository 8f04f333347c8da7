// SPDX-License-Identifier: Apache-2.0
import Testing

/// What is tested on a live device whose programs die, whose disk is full, whose state is damaged or whose TPM is gone.
@Suite(.serialized, .live, .timeLimit(.minutes(20))) enum LiveFaults {}
