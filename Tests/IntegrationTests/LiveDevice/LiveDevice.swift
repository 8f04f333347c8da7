// SPDX-License-Identifier: Apache-2.0
import Testing

/// What is tested on one live, shared device, one test after the other: apps, rules, what administrators do.
///
/// Each of the four suites of this kind has a device and a server of its own, so that they run beside each other.
@Suite(.serialized, .live, .timeLimit(.minutes(20))) enum LiveDevice {}
