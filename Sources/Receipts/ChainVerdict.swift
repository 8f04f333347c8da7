// SPDX-License-Identifier: Apache-2.0

/// The result of verifying a device's receipts.
package struct ChainVerdict: Sendable, Equatable {
    /// A fault in a chain.
    package enum Fault: Sendable, Equatable {
        /// The line was changed after it was signed, or is not a signed line.
        case changed(line: Int)
        /// A later version of Baton wrote the line. Verify the file with that version.
        case unknownVersion(line: Int)
        /// The line is not at its original position, or occurs twice.
        case reordered(line: Int)
        /// The receipts with these numbers are missing.
        case missing(first: Int, last: Int)
        /// The line contains the hash of a different predecessor: the signer wrote two versions of the line before it.
        case forked(line: Int)
        /// The line is signed with a key other than the chain's.
        case foreign(line: Int)
        /// The server countersigned a different line with this number.
        case anchoredOtherwise(sequence: Int)
        /// The server countersigned lines up to `anchored`, but the file ends earlier.
        case cut(last: Int, anchored: Int)
        /// The file contains no line of a chain.
        case empty
        /// No statement names the key that signed the receipts.
        case keyless
    }

    /// How the signer of the receipts is known.
    package enum Signer: Sendable, Equatable {
        /// The tenant's authority issued the certificate of each device that the lines name.
        case certified
        /// The caller supplied the key.
        case pinned
        /// The signer had the key that the file itself names, and nothing more is known.
        case unproven
    }

    package var faults: [Fault] = []
    package var signer = Signer.unproven
    /// The number of receipts.
    package var receipts = 0
    /// The number of receipts of version 1.
    package var firstVersionCount = 0
    /// The number of receipts that do not list the unobserved entries, because an earlier version of Baton wrote them.
    package var silentCount = 0
    /// The sorted names of the leftovers that at least one receipt lists as unobserved.
    package var unobserved: [String] = []
    /// The numbers of the first and the last receipt; nil if there is none.
    package var first: Int?
    package var last: Int?
    /// The highest number of a line that the server countersigned and that is unchanged in the file.
    package var anchoredUpTo: Int?
    /// The numbers of the receipts that record damage to the lines before them on the device.
    package var damageBefore: [Int] = []

    package init() {}

    /// Whether there is no fault and the signer is known.
    package var isIntact: Bool { faults.isEmpty && signer != .unproven }

    /// The number of receipts after the last anchor. The file does not show whether even later receipts were removed
    /// from its end.
    package var unanchored: Int { last.map { $0 - (anchoredUpTo ?? (first ?? 1) - 1) } ?? 0 }
}

extension ChainVerdict.Fault {
    /// A stable code, for programs.
    package var code: String {
        switch self {
        case .changed: "changed"
        case .unknownVersion: "unknown_version"
        case .reordered: "reordered"
        case .missing: "missing"
        case .forked: "forked"
        case .foreign: "foreign"
        case .anchoredOtherwise: "anchored_otherwise"
        case .cut: "cut"
        case .empty: "empty"
        case .keyless: "keyless"
        }
    }

    /// The meaning, for users.
    package var text: String {
        switch self {
        case .changed(let line): "line \(line) was changed after it was signed, or is not a signed line"
        case .unknownVersion(let line): "line \(line) was written by a later version of Baton"
        case .reordered(let line): "line \(line) is out of order or occurs twice"
        case .missing(let first, let last):
            first == last ? "receipt \(first) is missing" : "receipts \(first) to \(last) are missing"
        case .forked(let line): "when line \(line) was signed, a different line preceded it"
        case .foreign(let line): "line \(line) is signed with a key that is not the chain's"
        case .anchoredOtherwise(let sequence): "the server countersigned a different receipt \(sequence)"
        case .cut(let last, let anchored):
            "the file ends at receipt \(last), but the server has countersigned receipt \(anchored)"
        case .empty: "there is no receipt"
        case .keyless: "no statement names the key that signed the receipts"
        }
    }
}
