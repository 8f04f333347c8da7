// SPDX-License-Identifier: Apache-2.0
import Testing

/// What is tested on a live device whose workers use a real browser, since the browser, its agent, or what it leaves
/// behind is what is tested.
@Suite(.serialized, .liveWithBrowser, .timeLimit(.minutes(20))) enum LiveBrowser {}
