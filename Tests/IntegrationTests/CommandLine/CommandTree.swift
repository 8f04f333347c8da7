// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Every command of a program, from its own description (`--experimental-dump-help`).
struct CommandTree: Decodable {
    let command: Command

    struct Command: Decodable {
        let commandName: String
        let abstract: String?
        let subcommands: [Command]?
        let arguments: [Argument]?

        /// The commands without subcommands, each with the words that call it.
        func leaves(below words: [String] = []) -> [Leaf] {
            let children = (subcommands ?? []).filter { $0.commandName != "help" }
            guard children.isEmpty else { return children.flatMap { $0.leaves(below: words + [$0.commandName]) } }
            let options = (arguments ?? []).flatMap { $0.names ?? [] }.filter { $0.kind == "long" }.map(\.name)
            let isExplained =
                (abstract?.isEmpty == false) && (arguments ?? []).allSatisfy { $0.abstract?.isEmpty == false }
            return [Leaf(words: words, options: options, isExplained: isExplained)]
        }
    }

    struct Argument: Decodable {
        let names: [Name]?
        let abstract: String?

        struct Name: Decodable {
            let kind: String
            let name: String
        }
    }

    struct Leaf: Sendable, CustomStringConvertible {
        let words: [String]
        /// The long options, without the dashes.
        let options: [String]
        /// Whether the help describes the command and each of its arguments.
        let isExplained: Bool

        var description: String { words.joined(separator: " ") }
    }
}
