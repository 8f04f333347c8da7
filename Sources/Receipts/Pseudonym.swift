// SPDX-License-Identifier: Apache-2.0

/// The form of what a receipt calls a worker: only the tenant that made it can say who is meant.
package enum Pseudonym {
    /// What every pseudonym of this version begins with.
    package static let prefix = "p1."
    private static let maximum = 256
    private static let characters = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Whether `text` has the form; it says nothing about who made it.
    package static func isOne(_ text: String) -> Bool {
        text.hasPrefix(prefix) && text.utf8.count > prefix.utf8.count && text.utf8.count <= maximum
            && text.utf8.dropFirst(prefix.utf8.count).allSatisfy(characters.contains)
    }
}
