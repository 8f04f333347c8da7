// SPDX-License-Identifier: Apache-2.0

/// When a session ends automatically, and how much time apps have at its end.
package struct SessionPolicy: Sendable, Codable, Equatable {
    /// When a session ends automatically.
    package var timeouts: SessionTimeouts
    /// Milliseconds that apps have to save before the end is committed.
    package var willEndPatience: Int
    /// Milliseconds that apps have to save if at least one of them has reported unsaved work. A value below
    /// ``willEndPatience`` has no effect.
    package var unsavedWorkPatience: Int
    /// Milliseconds that apps have to erase the worker's data after the commit.
    package var eraserPatience: Int

    package static let standard = SessionPolicy(
        timeouts: .standard, willEndPatience: 500, unsavedWorkPatience: 5000, eraserPatience: 3000)

    /// The minimum idle time, in seconds. A shorter idle time would not be enough to read a page.
    package static let shortestIdle = 30

    /// Why this policy is unsafe or unusable; nil if it is neither.
    package var problem: SessionPolicyError? {
        if timeouts.idle == 0, !timeouts.hasShifts { return SessionPolicyError(.endless, .idle) }
        if timeouts.idle > 0, timeouts.idle < Self.shortestIdle { return SessionPolicyError(.hasty, .idle) }
        if timeouts.idle > 0, timeouts.idleWarning >= timeouts.idle {
            return SessionPolicyError(.unwarned, .idleWarning)
        }
        return nil
    }

    /// Returns this policy, which is the device's own, with all overrides from the MDM's `settings`. If the overrides
    /// are malformed or the result is unsafe, returns this policy unchanged, and the reason.
    package func followed(_ settings: ManagedSettings) -> (sessionPolicy: SessionPolicy, refusal: SessionPolicyError?) {
        if let refusal = settings.sessionPolicyError { return (self, refusal) }
        guard settings.sessionPolicy != SessionPolicyOverride() else { return (self, nil) }
        let wanted = settings.sessionPolicy.applied(to: self)
        if let problem = wanted.problem { return (self, problem) }
        return (wanted, nil)
    }

    package init(
        timeouts: SessionTimeouts, willEndPatience: Int, unsavedWorkPatience: Int = 0, eraserPatience: Int
    ) {
        self.timeouts = timeouts
        self.willEndPatience = willEndPatience
        self.unsavedWorkPatience = unsavedWorkPatience
        self.eraserPatience = eraserPatience
    }
}
