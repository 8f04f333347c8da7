// SPDX-License-Identifier: Apache-2.0

/// Checks the PIN that a worker typed, before anything is stored.
package enum NewPIN {
    /// Returns why the PIN is refused; nil if it is accepted.
    ///
    /// - Parameter proof: the sign-in with the server that precedes the PIN.
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
