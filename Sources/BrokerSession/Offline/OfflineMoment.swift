// SPDX-License-Identifier: Apache-2.0
internal import Files
internal import Glibc
internal import Processes

/// A moment as the device can measure it without a server.
package struct OfflineMoment: Sendable, Equatable {
    /// Seconds since 1970 by the wall clock, which users of the machine may be able to set.
    package let wall: Int
    /// Seconds since the machine was started, including sleep; only a restart resets it.
    package let sinceBoot: Int
    /// The kernel's random id of this start of the machine.
    package let boot: String

    package init(wall: Int, sinceBoot: Int, boot: String) {
        (self.wall, self.sinceBoot, self.boot) = (wall, sinceBoot, boot)
    }
}

extension OfflineMoment {
    /// Returns the current moment.
    ///
    /// - Throws: ``FileError`` if the kernel provides no boot id. In that case time cannot be measured.
    package static func now() throws -> OfflineMoment {
        OfflineMoment(
            wall: Int(Glibc.time(nil)), sinceBoot: Int(BootClock.now().components.seconds), boot: try BootClock.id())
    }
}
