// SPDX-License-Identifier: Apache-2.0
package import Hummingbird
internal import Storage

extension Management {
    /// Tells `observer` of every device for which a command was queued or whose enrollment was ended here, after the
    /// commit; see ``Database/observe(_:)`` for what it may do.
    package func observeDevices(_ observer: @escaping @Sendable (EnrolledDevice) -> Void) {
        database.observe { announcement in
            if let device = announcement as? EnrolledDevice { observer(device) }
        }
    }

    /// Tells `observer` of every device whose enrollment ended, after the commit; see ``Database/observe(_:)`` for what it
    /// may do.
    package func observeEnds(_ observer: @escaping @Sendable (EnrolledDevice) -> Void) {
        database.observe { announcement in
            if let end = announcement as? EnrollmentEnd { observer(end.device) }
        }
    }

    /// Whether the device is enrolled now.
    ///
    /// - Throws: ``StorageError``
    package func isEnrolled(_ device: EnrolledDevice) async throws -> Bool {
        try await database.read { connection in
            try DeviceRecords(connection: connection, tenant: device.tenant).find(device.udid)?.state == .enrolled
        }
    }

    /// Whether commands wait for the device, or its inventory is to be asked for.
    ///
    /// - Throws: ``StorageError``
    package func hasCommands(_ device: EnrolledDevice) async throws -> Bool {
        try await database.read { connection in
            try CommandQueue(connection: connection, tenant: device.tenant, udid: device.udid).isWaiting()
        }
    }

    /// Adds a route below the devices' own path that only an enrolled device reaches.
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
