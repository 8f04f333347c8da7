// SPDX-License-Identifier: Apache-2.0
package import Hummingbird
internal import Storage

extension Management {
    /// After each commit, calls `observer` with every device for which a command was queued or whose enrollment the
    /// server ended. See ``Database/observe(_:)`` for the restrictions on observers.
    package func observeDevices(_ observer: @escaping @Sendable (EnrolledDevice) -> Void) {
        database.observe { announcement in
            if let device = announcement as? EnrolledDevice { observer(device) }
        }
    }

    /// After each commit, calls `observer` with every device whose enrollment ended. See ``Database/observe(_:)`` for
    /// the restrictions on observers.
    package func observeEnds(_ observer: @escaping @Sendable (EnrolledDevice) -> Void) {
        database.observe { announcement in
            if let end = announcement as? EnrollmentEnd { observer(end.device) }
        }
    }

    /// Returns whether the device is currently enrolled.
    ///
    /// - Throws: ``StorageError``
    package func isEnrolled(_ device: EnrolledDevice) async throws -> Bool {
        try await database.read { connection in
            try DeviceRecords(connection: connection, tenant: device.tenant).find(device.udid)?.state == .enrolled
        }
    }

    /// Returns whether commands wait for the device or its inventory is due.
    ///
    /// - Throws: ``StorageError``
    package func hasCommands(_ device: EnrolledDevice) async throws -> Bool {
        try await database.read { connection in
            try CommandQueue(connection: connection, tenant: device.tenant, udid: device.udid).isWaiting()
        }
    }

    /// Adds a route below the devices' path that only an enrolled device can use.
    package func onDevice(
        _ router: Router<MDMContext>, path suffix: String,
        route: @escaping @Sendable (EnrolledDevice, Request, MDMContext) async throws -> Response
    ) {
        let endpoint = deviceEndpoint
        router.post(RouterPath(DevicePath.server + suffix)) { request, context in
            try await refusing { try await route(try await endpoint.device(context), request, context) }
        }
    }
}
