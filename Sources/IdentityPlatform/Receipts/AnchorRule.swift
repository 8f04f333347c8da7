// SPDX-License-Identifier: Apache-2.0

/// Judges the head that a device states against those that were countersigned.
enum AnchorRule {
    enum Verdict: Equatable {
        /// It is newer than all of them.
        case countersign
        /// It was countersigned before.
        case known
        /// Another line of this number was countersigned, or the chain was longer already.
        case forked
    }

    /// - Parameters:
    ///   - same: the hash that was countersigned under the very number.
    ///   - newest: the highest number that was.
    static func judge(sequence: Int64, hash: String, same: String?, newest: Int64?) -> Verdict {
        if let same { return same == hash ? .known : .forked }
        guard let newest, sequence <= newest else { return .countersign }
        return .forked
    }
}
