// SPDX-License-Identifier: Apache-2.0

/// The newest acknowledged line of the device's chain of receipts, and its position. Bytes after it on disk were never
/// acknowledged.
package struct ChainEnd: Sendable, Codable, Equatable {
    package let sequence: Int
    /// The hash of the line.
    package let hash: String
    /// The epoch whose end the line records.
    package let ended: String
    /// The thumbprint of the receipt key.
    package let key: String
    /// The file that holds the line; empty if the preceding lines were moved aside as damaged.
    let segment: String
    /// The number of acknowledged bytes of that file; the line is at their end.
    let bytes: Int

    /// The end after which a damaged chain continues; `sequence` is 0 if nothing tells how long the chain was.
    func afterDamage(key: String) -> ChainEnd {
        ChainEnd(sequence: sequence, hash: hash, ended: ended, key: key, segment: "", bytes: 0)
    }

    /// The end for a new chain that replaces one of which nothing is known.
    static func anew(key: String) -> ChainEnd {
        ChainEnd(sequence: 0, hash: "", ended: "", key: key, segment: "", bytes: 0)
    }

    /// The end before a device's first receipt; bytes already in the file were never acknowledged.
    static func beginning(key: String, segment: String) -> ChainEnd {
        ChainEnd(sequence: 0, hash: "", ended: "", key: key, segment: segment, bytes: 0)
    }

    var isAfterDamage: Bool { segment.isEmpty }

    /// Whether no receipt has been acknowledged yet.
    var isBeforeFirst: Bool { sequence == 0 }
}

/// The device's receipts were changed or lost since they were written.
package struct ReceiptsDamaged: Error, Equatable, CustomStringConvertible {
    package enum Cause: String, Sendable {
        /// There are lines, but no record of where they end.
        case endMissing = "end_missing"
        case endUnreadable = "end_unreadable"
        /// The last acknowledged line is missing or different.
        case lineDamaged = "line_damaged"
        /// The key that signed the chain is missing or different.
        case keyChanged = "key_changed"
    }

    package let cause: Cause
    /// The chain's end, if it is still known.
    let end: ChainEnd?

    package var description: String {
        "receipts_damaged: \(cause.rawValue). What is left was moved aside; keep it, and look who had access to the device."
    }
}
