// SPDX-License-Identifier: Apache-2.0

/// By which doors a session ends by itself, and how long apps have at its end.
package struct DoorConfiguration: Sendable, Codable, Equatable {
    /// When a session ends by itself.
    package var stay: StayRules
    /// Milliseconds that apps have to save before the end is committed.
    package var willEndPatience: Int
    /// Milliseconds that apps have to erase after it.
    package var eraserPatience: Int

    package static let standard = DoorConfiguration(stay: .standard, willEndPatience: 500, eraserPatience: 3000)

    /// Seconds: in less nobody could read a page and go on.
    package static let shortestIdle = 30

    /// What makes these doors unsafe, or unusable; nil where nothing does.
    package var problem: DoorRefusal? {
        if stay.idle == 0, !stay.hasShifts { return DoorRefusal(.endless, .idle) }
        if stay.idle > 0, stay.idle < Self.shortestIdle { return DoorRefusal(.hasty, .idle) }
        if stay.idle > 0, stay.idleWarning >= stay.idle { return DoorRefusal(.unwarned, .idleWarning) }
        return nil
    }

    /// What holds where the MDM wants `settings` of a device whose own file says this: all that the MDM wants, or, where
    /// that is no good, nothing of it, with the reason.
    package func followed(_ settings: ManagedSettings) -> (doors: DoorConfiguration, refusal: DoorRefusal?) {
        if let refusal = settings.doorRefusal { return (self, refusal) }
        guard settings.doors != DoorWishes() else { return (self, nil) }
        let wanted = settings.doors.applied(to: self)
        if let problem = wanted.problem { return (self, problem) }
        return (wanted, nil)
    }

    package init(stay: StayRules, willEndPatience: Int, eraserPatience: Int) {
        self.stay = stay
        self.willEndPatience = willEndPatience
        self.eraserPatience = eraserPatience
    }
}
