// SPDX-License-Identifier: Apache-2.0

/// The name under which a worker appears in receipts. Only the tenant that made a pseudonym can find out which worker
/// it stands for.
package enum Pseudonym {
    /// The prefix of every pseudonym of this version.
    package static let prefix = "p1."
    private static let maximum = 256
    private static let characters = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Whether `text` has the form of a pseudonym. This does not show who made it.
    package static func isOne(_ text: String) -> Bool {
        text.hasPrefix(prefix) && text.utf8.count > prefix.utf8.count && text.utf8.count <= maximum
            && text.utf8.dropFirst(prefix.utf8.count).allSatisfy(characters.contains)
    }
}
