// SPDX-License-Identifier: Apache-2.0
import Testing

/// Tests on a live device whose workers use a real browser, for suites that test the browser, its agent, or what they
/// leave behind.
@Suite(.serialized, .liveWithBrowser, .timeLimit(.minutes(20))) enum LiveBrowser {}
