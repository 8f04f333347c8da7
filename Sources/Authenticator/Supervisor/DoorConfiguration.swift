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

    package init(stay: StayRules, willEndPatience: Int, eraserPatience: Int) {
        self.stay = stay
        self.willEndPatience = willEndPatience
        self.eraserPatience = eraserPatience
    }
}
