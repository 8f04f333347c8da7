// SPDX-License-Identifier: Apache-2.0
import Testing

/// Tests on a live device whose server is unreachable or answers wrongly.
@Suite(.serialized, .live, .timeLimit(.minutes(20))) enum LiveOffline {}
