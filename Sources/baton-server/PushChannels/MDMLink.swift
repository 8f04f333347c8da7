// SPDX-License-Identifier: Apache-2.0
internal import IdentityPlatform
internal import Logging
internal import MDMServer
internal import OAuth
internal import ServiceLifecycle
internal import Storage

/// Keeps the directory's record of managed devices consistent with device management, and tells each engine what the
/// other one calls a device, so that administrators can use any of its names with both. The two engines do not depend
/// on each other. A device becomes managed when one request proves possession of both the device's directory key and the
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
        let (entry, isNew) = try await identity.managementNames.set(
            device.udid.rawValue, of: asker.device, tenant: asker.tenant)
        if isNew {
            logger.info("the directory has a managed device", metadata: ["device.id": "\(asker.device.rawValue)"])
        }
        // The enrollment may have ended since it was checked. In that case nothing else would remove the record.
        if let entry { try await check([entry], of: asker.tenant) }
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

    /// Removes the records of ended enrollments, and corrects what the engines call each other's devices.
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
            if case .all = wanted { try await checkDirectoryNames(of: tenant) }
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

    /// Removes the records of devices that are not enrolled. For each enrolled device, tells each engine what the other
    /// engine calls the device.
    private func check(_ entries: [MDMDeviceNames.Entry], of tenant: TenantID) async throws {
        guard !entries.isEmpty else { return }
        let enrolled = try await management.names(of: entries.map { EnrolledDeviceID($0).udid }, tenant: tenant)
        for entry in entries {
            if let names = enrolled[EnrolledDeviceID(entry).udid] {
                try await exchange(entry, names)
                continue
            }
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

    /// Tells each engine what the other engine calls a device, unless it knows already. If several devices of the
    /// directory have one UDID, device management is told the names of the device that joined last.
    private func exchange(_ entry: MDMDeviceNames.Entry, _ enrolled: EnrolledDeviceNames) async throws {
        let managed = MDMDeviceNames.ManagedNames(name: enrolled.name, serialNumber: enrolled.serialNumber)
        if entry.managed != managed { try await identity.managementNames.set(managed, of: entry) }
        guard entry.isLatest, enrolled.directory != DirectoryNames(entry) else { return }
        try await management.setDirectoryNames(
            DirectoryNames(entry), of: EnrolledDeviceID(entry), replacing: enrolled.directory?.id)
    }

    /// Makes device management forget the names of devices that are no longer in the directory.
    func checkDirectoryNames(of tenant: TenantID) async throws {
        var last: UDID?
        repeat {
            let page = try await management.devicesWithDirectoryNames(of: tenant, after: last, limit: Self.page)
            try await forgetOutdated(page, of: tenant)
            last = page.count < Self.page ? nil : page.last?.udid
        } while last != nil && !Task.isCancelled
    }

    private func forgetOutdated(_ devices: [EnrolledDeviceNames], of tenant: TenantID) async throws {
        let present = try await identity.managementNames.latest(of: devices.map(\.udid.rawValue), tenant: tenant)
        for device in devices where present[device.udid.rawValue]?.device.rawValue != device.directory?.id {
            let id = EnrolledDeviceID(tenant: tenant, udid: device.udid)
            try await management.setDirectoryNames(nil, of: id, replacing: device.directory?.id)
            // The device may have joined before the names were removed, and its push channel may have found them
            // unchanged.
            let joined = try await identity.managementNames.latest(of: [device.udid.rawValue], tenant: tenant)
            if let entry = joined[device.udid.rawValue] { try await check([entry], of: tenant) }
        }
    }
}

extension EnrolledDeviceID {
    /// The enrolled device that an entry of the directory names.
    fileprivate init(_ entry: MDMDeviceNames.Entry) {
        self.init(tenant: entry.tenant, udid: UDID(rawValue: entry.name))
    }
}

extension DirectoryNames {
    fileprivate init(_ entry: MDMDeviceNames.Entry) {
        self.init(id: entry.device.rawValue, objectID: entry.objectID.rawValue, displayName: entry.displayName)
    }
}
