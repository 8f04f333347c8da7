// SPDX-License-Identifier: Apache-2.0
import Testing

/// What is tested on a live device whose server is away, or answers wrong.
@Suite(.serialized, .live, .timeLimit(.minutes(20))) enum LiveOffline {}
