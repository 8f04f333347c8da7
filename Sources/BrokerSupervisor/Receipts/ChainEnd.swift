// SPDX-License-Identifier: Apache-2.0

/// The newest acknowledged line of the device's chain of receipts, and that line's position. Any bytes after that line
/// on disk were never acknowledged.
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

    /// Returns the end from which the chain continues in a new file after damage; `sequence` is 0 if the length of the
    /// chain is unknown.
    func afterDamage(key: String) -> ChainEnd {
        ChainEnd(sequence: sequence, hash: hash, ended: ended, key: key, segment: "", bytes: 0)
    }

    /// Returns the end to continue from when a new chain replaces a chain of unknown length.
    static func anew(key: String) -> ChainEnd {
        ChainEnd(sequence: 0, hash: "", ended: "", key: key, segment: "", bytes: 0)
    }

    /// Returns the end of the empty chain, before a device's first receipt; bytes already in the file were never
    /// acknowledged.
    static func beginning(key: String, segment: String) -> ChainEnd {
        ChainEnd(sequence: 0, hash: "", ended: "", key: key, segment: segment, bytes: 0)
    }

    var isAfterDamage: Bool { segment.isEmpty }

    /// Whether no receipt has been acknowledged yet.
    var isBeforeFirst: Bool { sequence == 0 }
}

/// The error if the device's receipts were changed or lost after they were written.
package struct ReceiptsDamaged: Error, Equatable, CustomStringConvertible {
    package enum Cause: String, Sendable {
        /// There are lines, but no record of where the chain ends.
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
        "receipts_damaged: \(cause.rawValue). What is left was moved aside; keep it, and find out who had "
            + "access to the device."
    }
}
