// SPDX-License-Identifier: Apache-2.0
import Testing

/// Tests on one live shared device, run one after the other: apps, rules, administrator actions.
///
/// Each of the four suites of this kind has its own device and server, so the suites run in parallel.
@Suite(.serialized, .live, .timeLimit(.minutes(20))) enum LiveDevice {}
