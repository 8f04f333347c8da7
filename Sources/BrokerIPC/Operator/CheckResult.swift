// SPDX-License-Identifier: Apache-2.0

/// One thing that `baton doctor` looked at, and what it found; nothing secret and nothing of a worker.
package struct CheckResult: Sendable, Codable, Equatable {
    /// What part of the device it is about.
    package enum Topic: String, Sendable, Codable, CaseIterable {
        case mode, session, apps, agent, server, push, certificates, clock, files, receipts, offline, host
    }

    /// How much it matters.
    package enum Verdict: String, Sendable, Codable {
        case good
        /// Worth knowing, and nothing to mend.
        case note
        /// It works, and something should be mended all the same.
        case warning
        /// A promise of Baton's does not hold, or workers cannot use the device.
        case bad
    }

    package let topic: Topic
    /// Stable, for programs.
    package let code: String
    package let verdict: Verdict
    package let message: String
    package let remedy: String?

    package init(_ topic: Topic, _ verdict: Verdict, code: String, message: String, remedy: String? = nil) {
        self.topic = topic
        self.verdict = verdict
        self.code = code
        self.message = message
        self.remedy = remedy
    }
}
