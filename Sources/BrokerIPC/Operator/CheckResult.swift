// SPDX-License-Identifier: Apache-2.0

/// The result of one check of `baton doctor`. Contains no secrets and no data about a worker.
package struct CheckResult: Sendable, Codable, Equatable {
    /// The part of the device that the check is about.
    package enum Topic: String, Sendable, Codable, CaseIterable {
        case mode, session, apps, agent, server, push, certificates, clock, files, receipts, offline, host
    }

    /// The severity of the result.
    package enum Verdict: String, Sendable, Codable {
        case good
        /// Worth knowing, but nothing needs repair.
        case note
        /// What was checked works, but something should be corrected.
        case warning
        /// One of Baton's guarantees is broken, or workers cannot use the device.
        case bad
    }

    package let topic: Topic
    /// A stable code, for programs.
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
