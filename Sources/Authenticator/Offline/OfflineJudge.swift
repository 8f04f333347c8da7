// SPDX-License-Identifier: Apache-2.0
internal import OAuth
package import Redaction

/// Knows a worker again by what they typed: every attempt is counted on disk before it is judged. Blocks.
package struct OfflineJudge {
    package enum Finding: Sendable, Equatable {
        case known(HeldLease)
        case wrong
        /// Nobody can sign in: the clock was set back.
        case clockSetBack
    }

    private let book: LeaseBook
    private let device: String

    /// - Parameter device: the id by which the organisation knows this device; leases for another are none.
    package init(book: LeaseBook, device: String) { (self.book, self.device) = (book, device) }

    /// Judges one attempt. A name that nobody here has costs the same work as one that somebody has.
    ///
    /// - Throws: ``FileError``, or the library's error: nothing is known then, and the attempt stays counted.
    package func judge(name: String, secret: SecretBytes) throws -> Finding {
        let (all, mayBegin) = try book.look()
        guard mayBegin else { return .clockSetBack }
        let leases = all.filter { $0.isFor(device: device) }
        guard let held = leases.first(where: { $0.lease.person.userName.lowercased() == name.lowercased() }) else {
            if let other = leases.first {
                try book.rewrite(other)
                _ = try matches(secret, other)
            }
            return .wrong
        }
        guard let charged = try book.charge(held) else { return .wrong }
        guard try matches(secret, charged) else {
            try book.fail(charged)
            return .wrong
        }
        try book.succeed(charged)
        return .known(charged)
    }

    private func matches(_ secret: SecretBytes, _ held: HeldLease) throws -> Bool {
        guard held.lease.credentials.contains(.password), let password = held.lease.password else { return false }
        return try password.matches(secret)
    }
}
