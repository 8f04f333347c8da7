// SPDX-License-Identifier: Apache-2.0
internal import IdentityPlatform
internal import Logging
internal import MDMServer
internal import OAuth
internal import ServiceLifecycle
internal import Storage

/// Keeps the directory's record of managed devices consistent with device management. The two engines do not depend on
/// each other. A device becomes managed when one request proves possession of both the device's directory key and the
/// key of its MDM identity (``PushChannelRoute``). The device stops being managed when its enrollment ends.
struct ManagementLink: Service {
    private let identity: Platform
    private let management: Management
    private let logger: Logger
    private let ends: AsyncStream<EnrolledDevice>

    init(identity: Platform, management: Management, logger: Logger) {
        (self.identity, self.management, self.logger) = (identity, management, logger)
        let (stream, continuation) = AsyncStream.makeStream(of: EnrolledDevice.self)
        ends = stream
        management.observeEnds { continuation.yield($0) }
    }

    /// Records that a device of the directory and a device of device management are the same.
    ///
    /// - Throws: ``StorageError``
    func join(_ asker: DeviceAsker, _ device: EnrolledDevice) async throws {
        if try await identity.managementNames.set(device.udid.rawValue, of: asker.device, tenant: asker.tenant) {
            logger.info("the directory has a managed device", metadata: ["device.id": "\(asker.device.rawValue)"])
        }
        // The enrollment may have ended since it was checked. In that case nothing else would remove the record.
        try await check(.init(tenant: asker.tenant, device: asker.device, name: device.udid.rawValue))
    }

    /// First removes the records of enrollments that ended while the server was down. After that, removes each
    /// enrollment's record when the enrollment ends.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            await trying {
                let tenants = try await identity.database.read { try Tenants($0).all().map(\.id) }
                for gone in try await management.tenants() where !tenants.contains(gone) {
                    try await management.removeTenant(gone)
                }
                for tenant in tenants {
                    for managed in try await identity.managementNames.all(of: tenant) { try await check(managed) }
                }
            }
            for await end in ends {
                await trying {
                    for managed in try await identity.managementNames.all(of: end.tenant, named: end.udid.rawValue) {
                        try await check(managed)
                    }
                }
            }
        }
    }

    /// Runs `body` and logs its error. Failed work is repeated at the next start.
    private func trying(_ body: () async throws -> Void) async {
        do { try await body() } catch {
            logger.error("the directory was not told about devices that left", metadata: ["error": "\(error)"])
        }
    }

    private func check(_ managed: ManagementNames.Entry) async throws {
        let device = EnrolledDevice(tenant: managed.tenant, udid: UDID(rawValue: managed.name))
        guard try await !management.isEnrolled(device) else { return }
        if try await identity.managementNames.set(nil, of: managed.device, tenant: managed.tenant) {
            logger.info("a device is no longer managed", metadata: ["device.id": "\(managed.device.rawValue)"])
        }
    }
}
