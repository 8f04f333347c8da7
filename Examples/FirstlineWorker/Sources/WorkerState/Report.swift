// SPDX-License-Identifier: Apache-2.0
package import Workers

/// A message of the app: the one answer to a command, or an event.
package struct Report: Equatable, Sendable {
    package enum Kind: String, Sendable {
        case answer, event
    }

    package let kind: Kind
    /// The name of the command or event.
    package let name: String
    package let problem: Problem?
    /// Further values; names without a value are left out.
    package let fields: [String: String]

    package init(_ kind: Kind, _ name: String, problem: Problem? = nil, _ fields: [String: String?] = [:]) {
        self.kind = kind
        self.name = name
        self.problem = problem
        self.fields = fields.compactMapValues { $0 }
    }
}
