// SPDX-License-Identifier: Apache-2.0

/// What can be said of a device's receipts, and no more than that.
package struct ChainVerdict: Sendable, Equatable {
    /// What is wrong with a chain.
    package enum Fault: Sendable, Equatable {
        /// The line is not as it was signed, or was never one.
        case changed(line: Int)
        /// A later version of Baton wrote the line: judge the file with that one.
        case unknownVersion(line: Int)
        /// The line stands where it did not stand, or stands twice.
        case reordered(line: Int)
        /// Lines of these numbers are missing.
        case missing(first: Int, last: Int)
        /// Its signer wrote another line before this one than the one that is here.
        case forked(line: Int)
        /// Another key signed the line than the chain's.
        case foreign(line: Int)
        /// The server countersigned another line of this number.
        case anchoredOtherwise(sequence: Int)
        /// The server countersigned lines up to that number, and the file ends before.
        case cut(last: Int, anchored: Int)
        /// There is no line of a chain.
        case empty
        /// Nothing says which key signed the receipts.
        case keyless
    }

    /// How it is known whose receipts these are.
    package enum Signer: Sendable, Equatable {
        /// The tenant's authority issued the certificate of each device that the lines name.
        case certified
        /// The key is the one that the caller named.
        case pinned
        /// Somebody's who had the key that is named in the file itself.
        case unproven
    }

    package var faults: [Fault] = []
    package var signer = Signer.unproven
    /// How many receipts there are.
    package var receipts = 0
    /// How many of them are of the first version.
    package var firstVersionCount = 0
    /// The numbers of the first and the last one; nil where there is none.
    package var first: Int?
    package var last: Int?
    /// The newest number that the server countersigned, and that is in the file as it was then.
    package var anchoredUpTo: Int?
    /// Numbers of lines that say that what was before them had been damaged on the device.
    package var damageBefore: [Int] = []

    package init() {}

    /// Whether nothing is wrong with what is there, and it is known whose it is.
    package var isIntact: Bool { faults.isEmpty && signer != .unproven }

    /// How many receipts at the end could have been more: those behind the last anchor.
    package var unanchored: Int { last.map { $0 - (anchoredUpTo ?? (first ?? 1) - 1) } ?? 0 }
}

extension ChainVerdict.Fault {
    /// A stable name, for programs.
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

    /// What it means, for people.
    package var text: String {
        switch self {
        case .changed(let line): "line \(line) is not as it was signed"
        case .unknownVersion(let line): "line \(line) is of a later version of Baton"
        case .reordered(let line): "line \(line) is out of its order, or is there twice"
        case .missing(let first, let last):
            first == last ? "receipt \(first) is missing" : "receipts \(first) to \(last) are missing"
        case .forked(let line): "before line \(line) there was another line than the one that is there"
        case .foreign(let line): "line \(line) is signed by another key than the chain's"
        case .anchoredOtherwise(let sequence): "the server countersigned another receipt \(sequence)"
        case .cut(let last, let anchored): "the file ends at receipt \(last); the server knows of \(anchored)"
        case .empty: "there is no receipt"
        case .keyless: "no statement names the key that signed the receipts"
        }
    }
}
