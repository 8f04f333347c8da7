// SPDX-License-Identifier: Apache-2.0

/// One thing that the app says: the one answer to a command, or an event that nobody asked for.
package struct Report: Equatable, Sendable {
    package enum Kind: String, Sendable {
        case answer, event
    }

    package let kind: Kind
    /// The command's or the event's name.
    package let name: String
    package let problem: Problem?
    /// What else is said; names without a value are left out.
    package let fields: [String: String]

    package init(_ kind: Kind, _ name: String, problem: Problem? = nil, _ fields: [String: String?] = [:]) {
        self.kind = kind
        self.name = name
        self.problem = problem
        self.fields = fields.compactMapValues { $0 }
    }
}
