// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import DeviceEnrollment

/// Reports the session's state to other parts of the process, once for each change.
struct SessionReports {
    private let device: any DeviceManaged
    private let watch: @Sendable (WatchedSession) -> Void
    /// The stage that was last reported to management.
    private var stage: SessionStage?
    /// The state that was last reported to the parts that talk to the server.
    private var watched: WatchedSession?

    /// - Parameter watch: receives the state that the device reports to its server; must not block.
    init(device: any DeviceManaged, watch: @escaping @Sendable (WatchedSession) -> Void) {
        (self.device, self.watch) = (device, watch)
    }

    mutating func tell(_ present: SessionStage) {
        guard present != stage else { return }
        stage = present
        device.session(is: present)
    }

    mutating func tell(_ present: WatchedSession) {
        guard present != watched else { return }
        watched = present
        watch(present)
    }
}
