// SPDX-License-Identifier: Apache-2.0
import Testing

/// Everything that is tested on one live, shared device, one test after the other.
@Suite(.serialized, .world, .timeLimit(.minutes(20))) enum LiveDevice {}
