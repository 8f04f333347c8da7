// SPDX-License-Identifier: Apache-2.0

/// Judges what a worker typed to set a PIN, before anything is kept.
package enum NewPIN {
    /// Why it is not taken; nil for one that is.
    ///
    /// - Parameter proof: the sign-in with the server that this follows.
    package static func refusal(
        of typed: OfflineForm.Typed, after proof: RecentSignIn, at moment: ContinuousClock.Instant
    ) -> OfflinePage.Notice? {
        guard proof.left(at: moment) != nil else { return .pinLate }
        guard typed.secret == typed.again else { return .pinsDiffer }
        do throws(OfflinePIN.PolicyViolation) { try OfflinePIN.check(typed.secret) } catch {
            switch error {
            case .shape: return .pinShape
            case .trivial: return .pinTrivial
            }
        }
        return nil
    }
}
