// SPDX-License-Identifier: Apache-2.0

/// Decides whether to countersign a chain head that a device reports.
enum AnchorRule {
    enum Verdict: Equatable {
        /// The head is newer than all countersigned heads.
        case countersign
        /// The head has already been countersigned.
        case known
        /// A different receipt with this number, or a receipt with a later number, has already been countersigned.
        case forked
    }

    /// - Parameters:
    ///   - same: the hash that was countersigned for the same number; nil if there is no such hash.
    ///   - newest: the highest number countersigned so far; nil if no head was countersigned.
    static func judge(sequence: Int64, hash: String, same: String?, newest: Int64?) -> Verdict {
        if let same { return same == hash ? .known : .forked }
        guard let newest, sequence <= newest else { return .countersign }
        return .forked
    }
}
