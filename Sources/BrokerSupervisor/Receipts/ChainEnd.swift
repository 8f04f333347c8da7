// SPDX-License-Identifier: Apache-2.0

/// The newest line of the device's chain that was acknowledged, and where it stands: what is behind it on the disk was
/// never promised to anybody.
package struct ChainEnd: Sendable, Codable, Equatable {
    package let sequence: Int
    /// The hash of the line.
    package let hash: String
    /// The epoch whose end the line tells of.
    package let ended: String
    /// The thumbprint of the receipt key.
    package let key: String
    /// The file that holds the line; empty where what was before has been moved aside as damaged.
    let segment: String
    /// Bytes of that file that are acknowledged; the line is the last of them.
    let bytes: Int

    /// Where a chain goes on whose lines were found damaged; `sequence` is 0 where nothing says how far it went.
    func afterDamage(key: String) -> ChainEnd {
        ChainEnd(sequence: sequence, hash: hash, ended: ended, key: key, segment: "", bytes: 0)
    }

    /// Where another chain begins in the place of one of which nothing is known.
    static func anew(key: String) -> ChainEnd {
        ChainEnd(sequence: 0, hash: "", ended: "", key: key, segment: "", bytes: 0)
    }

    /// Where a device's first receipt will stand: what is in its file was never acknowledged.
    static func beginning(key: String, segment: String) -> ChainEnd {
        ChainEnd(sequence: 0, hash: "", ended: "", key: key, segment: segment, bytes: 0)
    }

    var isAfterDamage: Bool { segment.isEmpty }

    /// No receipt has been acknowledged yet.
    var isBeforeFirst: Bool { sequence == 0 }
}

/// The device's receipts are not as they were left.
package struct ReceiptsDamaged: Error, Equatable, CustomStringConvertible {
    package enum Cause: String, Sendable {
        /// There are lines, and nothing says where they end.
        case endMissing = "end_missing"
        case endUnreadable = "end_unreadable"
        /// The last acknowledged line is gone or another one.
        case lineDamaged = "line_damaged"
        /// The key that signed the chain is gone or another one.
        case keyChanged = "key_changed"
    }

    package let cause: Cause
    /// The chain's end, where that is still known.
    let end: ChainEnd?

    package var description: String {
        "receipts_damaged: \(cause.rawValue). What is left was moved aside; keep it, and look who had access to the device."
    }
}
