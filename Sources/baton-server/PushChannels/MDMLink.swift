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
///
/// Every node does this for every device. Each step has the same result however often it is done.
struct MDMLink: Service {
    private let identity: Platform
    private let management: MDMService
    private let logger: Logger
    private let ended = EndedEnrollments()

    /// The interval at which all devices are checked, in case an announcement was lost.
    private static let interval = Duration.seconds(600)
    /// The number of devices that are checked in one transaction.
    private static let page = 500

    init(identity: Platform, management: MDMService, logger: Logger) {
        (self.identity, self.management, self.logger) = (identity, management, logger)
        management.observeEnds { [ended] seen in
            switch seen {
            case .change(let end): ended.add(end.device)
            case .gap: ended.addAll()
            }
        }
    }

    /// Records that a device of the directory and a device of device management are the same.
    ///
    /// - Throws: ``StorageError``
    func join(_ asker: DeviceAsker, _ device: EnrolledDeviceID) async throws {
        if try await identity.managementNames.set(device.udid.rawValue, of: asker.device, tenant: asker.tenant) {
            logger.info("the directory has a managed device", metadata: ["device.id": "\(asker.device.rawValue)"])
        }
        // The enrollment may have ended since it was checked. In that case nothing else would remove the record.
        try await check(
            [.init(tenant: asker.tenant, device: asker.device, name: device.udid.rawValue)], of: asker.tenant)
    }

    /// Removes each enrollment's record when the enrollment ends, on this node or another. Checks all records at the
    /// start, after a gap in the announcements, and every ten minutes.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    while !Task.isCancelled {
                        ended.addAll()
                        do { try await Task.sleep(for: Self.interval) } catch { return }
                    }
                }
                for await _ in ended.wakes {
                    do { try await reconcile(ended.take()) } catch {
                        // The next regular check repeats the work.
                        logger.error(
                            "the directory was not told about devices that left", metadata: ["error": "\(error)"])
                    }
                }
                group.cancelAll()
            }
        }
    }

    /// Removes the records of ended enrollments.
    func reconcile(_ wanted: EndedEnrollments.Wanted) async throws {
        if case .all = wanted {
            try await removeGoneTenants()
            try await management.sweepPackages()
        }
        for tenant in try await identity.database.read({ try Tenants($0).all().map(\.id) })
        where wanted.concerns(tenant) {
            var last: DeviceID?
            repeat {
                let page = try await identity.managementNames.page(of: tenant, after: last, limit: Self.page)
                try await check(page.filter { wanted.contains(EnrolledDeviceID($0).reference) }, of: tenant)
                last = page.count < Self.page ? nil : page.last?.device
            } while last != nil && !Task.isCancelled
        }
    }

    /// Removes device management's data about organisations that are no longer in the directory.
    private func removeGoneTenants() async throws {
        // Device management gets an organisation only after the directory has it. In this order, an organisation that
        // another node adds meanwhile is not mistaken for a removed one.
        let managed = try await management.tenants()
        let known = try await identity.database.read { try Tenants($0).all().map(\.id) }
        for gone in managed where !known.contains(gone) { try await management.removeTenant(gone) }
    }

    /// Removes the records of devices that are not enrolled.
    private func check(_ entries: [MDMDeviceNames.Entry], of tenant: TenantID) async throws {
        guard !entries.isEmpty else { return }
        let enrolled = try await management.enrolled(among: entries.map { EnrolledDeviceID($0).udid }, of: tenant)
        for entry in entries where !enrolled.contains(EnrolledDeviceID(entry).udid) {
            guard try await identity.managementNames.remove(entry) else { continue }
            // The device may have enrolled again before the record was removed, and its push channel may have found the
            // record unchanged.
            if try await management.isEnrolled(EnrolledDeviceID(entry)) {
                _ = try await identity.managementNames.set(entry.name, of: entry.device, tenant: tenant)
            } else {
                logger.info("a device is no longer managed", metadata: ["device.id": "\(entry.device.rawValue)"])
            }
        }
    }
}

extension EnrolledDeviceID {
    /// The enrolled device that an entry of the directory names.
    fileprivate init(_ entry: MDMDeviceNames.Entry) {
        self.init(tenant: entry.tenant, udid: UDID(rawValue: entry.name))
    }
}
