// SPDX-License-Identifier: Apache-2.0
package import Hummingbird
package import Storage

extension MDMService {
    /// After each commit, calls `observer` with every device for which a command was queued or whose enrollment the
    /// server ended. A gap may concern every device. See ``Database/observe(_:)`` for the restrictions on observers.
    package func observeDevices(_ observer: @escaping @Sendable (Observation<DeviceWork>) -> Void) {
        database.observe(DeviceWork.self, observer)
    }

    /// After each commit, calls `observer` with every device whose enrollment ended. A gap may concern every device.
    /// See ``Database/observe(_:)`` for the restrictions on observers.
    package func observeEnds(_ observer: @escaping @Sendable (Observation<EnrollmentEnd>) -> Void) {
        database.observe(EnrollmentEnd.self, observer)
    }

    /// Returns whether the device is currently enrolled.
    ///
    /// - Throws: ``StorageError``
    package func isEnrolled(_ device: EnrolledDeviceID) async throws -> Bool {
        try await database.read { connection in
            try DeviceRecords(connection: connection, tenant: device.tenant).find(device.udid)?.state == .enrolled
        }
    }

    /// Returns whether commands wait for the device, or whether its inventory is due.
    ///
    /// - Throws: ``StorageError``
    package func hasCommands(_ device: EnrolledDeviceID) async throws -> Bool {
        try await database.read { connection in
            try CommandQueue(connection: connection, tenant: device.tenant, udid: device.udid).isWaiting()
        }
    }

    /// Adds a route below the devices' path that only an enrolled device can use.
    package func onDevice(
        _ router: Router<MDMContext>, path suffix: String,
        route: @escaping @Sendable (EnrolledDeviceID, Request, MDMContext) async throws -> Response
    ) {
        let endpoint = deviceEndpoint
        router.post(RouterPath(DevicePath.server + suffix)) { request, context in
            try await refusing { try await route(try await endpoint.device(context), request, context) }
        }
    }
}
