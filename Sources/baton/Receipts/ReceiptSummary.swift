// SPDX-License-Identifier: Apache-2.0
import CommandLineInterface
import Receipts

/// A receipt as it is printed.
struct ReceiptSummary: Encodable {
    struct Item: Encodable {
        let name: String
        let grade: String
        let observer: String
        let result: String
        let at: Int
    }

    let sequence: Int
    let device: String
    let ended: String
    let trigger: String?
    let attempt: Bool
    /// Whether the worker had signed in without the server.
    let offline: Bool
    let began: Int?
    let committed: Int?
    let finished: Int
    let accessTokensEndBy: String
    let subject: String
    let items: [Item]
    /// The entries of docs/reference/leftovers.md in whose places something was left; `none` if nothing was left, or
    /// `unknown`.
    let left: String
    /// The entries of docs/reference/leftovers.md whose places were not examined; `none` if all were examined, or
    /// `unknown` if an earlier version of Baton wrote the receipt.
    let unobserved: String
    /// The start of the search for folders that belong to no entry, if the search began before the session.
    let foldersAsOf: String?
    /// What the agent saw a browser hold open; `none`, or `unknown`.
    let opened: String
    let afterDamage: Bool

    init(_ receipt: Receipt) {
        sequence = receipt.place.sequence
        device = receipt.device
        ended = receipt.ended
        trigger = receipt.trigger
        attempt = receipt.isAttempt
        offline = receipt.isOffline
        (began, committed, finished) = (receipt.times.began, receipt.times.committed, receipt.times.finished)
        accessTokensEndBy = Self.text(receipt.accessTokensEndBy) { ReceiptCommand.List.time($0) }
        subject = Self.text(receipt.subject) { $0 }
        items = receipt.items.map {
            Item(
                name: $0.name, grade: $0.grade.rawValue, observer: $0.observer.rawValue, result: $0.result.rawValue,
                at: $0.at)
        }
        left = Self.text(receipt.remains.left) { Self.list($0) }
        unobserved = receipt.remains.unobserved.map(Self.list) ?? "unknown"
        opened = Self.text(receipt.remains.opened) { Self.list($0) }
        foldersAsOf = receipt.remains.foldersAsOf.map(ReceiptCommand.List.time)
        afterDamage = receipt.place.followsDamage
    }

    /// Whether the result of every item is `done`.
    var isDone: Bool { items.allSatisfy { $0.result == ReceiptItem.Result.done.rawValue } }

    var lines: [String] {
        [
            "number         \(sequence)" + (afterDamage ? " (the receipts before it had been damaged)" : ""),
            "device         \(device)", "ended          \(ended)", "trigger        \(trigger ?? "unknown")",
            "began          \(began.map(ReceiptCommand.List.time) ?? "unknown")",
            "committed      \(committed.map(ReceiptCommand.List.time) ?? "unknown")",
            "finished       \(ReceiptCommand.List.time(finished))", "tokens end by  \(accessTokensEndBy)",
            "subject        \(subject)" + (attempt ? " (nobody had signed in)" : "")
                + (offline ? " (signed in without the server)" : ""),
            "left behind    \(TextTable.printable(left))"
                + (foldersAsOf.map { " (other folders: those that a search before the session, \($0), had found)" }
                    ?? ""),
            "not looked at  \(TextTable.printable(unobserved))",
            "browser held   \(TextTable.printable(opened))",
        ]
            + items.map {
                "  \(TextTable.printable($0.name)): \($0.result), \($0.grade), seen by \(Self.observer($0.observer)), "
                    + ReceiptCommand.List.time($0.at)
            }
    }

    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "none" : names.joined(separator: ", ")
    }

    private static func observer(_ name: String) -> String {
        name == ReceiptItem.Observer.nobody.rawValue ? "nobody" : "the \(name)"
    }

    private static func text<Value>(_ finding: Finding<Value>, _ words: (Value) -> String) -> String {
        switch finding {
        case .none: "none"
        case .unknown: "unknown"
        case .known(let value): words(value)
        }
    }
}
