// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import DeviceEnrollment

/// Tells others in the process how the session stands, each change once.
struct SessionReports {
    private let device: any DeviceManaged
    private let watch: @Sendable (WatchedSession) -> Void
    /// What management was told last.
    private var stage: SessionStage?
    /// What the parts that speak with the server were told last.
    private var watched: WatchedSession?

    /// - Parameter watch: is told what the device states to its server; must not block.
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
