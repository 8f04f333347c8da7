// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser

/// The one way in which every command of `baton admin` is told a device: by its name, device id, UDID or serial number.
struct DeviceName: ExpressibleByArgument {
    let text: String

    init(argument: String) { text = argument }

    /// The device of the directory that is meant.
    ///
    /// - Throws: ``CommandFailure`` where it is none, or more than one.
    func inDirectory(_ admin: AdminOptions) async throws -> IdentityAdmin.Device {
        let known = try await KnownDevices(admin)
        let found = try known.find(text, where: { $0.directory != nil })
        guard let device = found.directory else {
            throw CommandFailure(
                code: "device_not_joined", message: "\(found.label) is under management, but not in the directory.",
                remedy: "Join it there (baton device join); what is in the directory: baton admin device list.")
        }
        return device
    }

    /// The device under management that is meant.
    ///
    /// - Throws: ``CommandFailure`` where it is none, or more than one.
    func underManagement(_ admin: AdminOptions) async throws -> MDMAdmin.Device {
        let known = try await KnownDevices(admin)
        let found = try known.find(text, where: { $0.managed != nil })
        guard let device = found.managed else {
            throw CommandFailure(
                code: "device_not_managed", message: "\(found.label) is in the directory, but not under management.",
                remedy: "Enroll it (baton admin device add); what is managed: baton admin device managed.")
        }
        return device
    }
}

/// The devices of a tenant, those of the directory and those under management that are the same as one.
private struct KnownDevices {
    struct Entry {
        let directory: IdentityAdmin.Device?
        let managed: MDMAdmin.Device?

        /// What the server named it by: nobody can give a device another one's.
        func hasID(_ text: String) -> Bool {
            [directory?.deviceID, directory?.id].contains(text.lowercased())
        }

        /// What people named it by, and what it says of itself.
        func hasName(_ text: String) -> Bool {
            let udid = managed?.udid ?? directory?.udid
            if let udid, udid.lowercased() == text.lowercased() { return true }
            if directory?.displayName == text { return true }
            // A device that has left gives its name free.
            guard let managed, managed.state != "left" else { return false }
            return managed.name == text || managed.serialNumber == text
        }

        /// The device for people: its name, and what tells it from others.
        var label: String {
            let name = directory?.displayName ?? managed?.name ?? ""
            let ids = [directory.map { "device id \($0.deviceID)" }, managed.map { "UDID \($0.udid)" }]
            return "\(name) (\(ids.compactMap(\.self).joined(separator: ", ")))"
        }
    }

    private let entries: [Entry]

    init(_ admin: AdminOptions) async throws {
        let directory: [IdentityAdmin.Device] = try await admin.call("GET", IdentityAdmin.Path.devices)
        let managed: [MDMAdmin.Device] = try await admin.call("GET", MDMAdmin.Path.devices)
        let joined = directory.map { device in
            Entry(directory: device, managed: managed.first { $0.udid == device.udid })
        }
        let udids = Set(joined.compactMap(\.managed?.udid))
        entries = joined + managed.filter { !udids.contains($0.udid) }.map { Entry(directory: nil, managed: $0) }
    }

    /// The one device that is meant, among those that will do; else another one by which the caller can say why not.
    func find(_ text: String, where isFit: (Entry) -> Bool) throws -> Entry {
        for candidates in [entries.filter(isFit), entries] {
            let byID = candidates.filter { $0.hasID(text) }
            let found = byID.isEmpty ? candidates.filter { $0.hasName(text) } : byID
            guard found.count <= 1 else {
                throw CommandFailure(
                    code: "device_ambiguous",
                    message: "Several devices are known as \(text): \(found.map(\.label).joined(separator: "; ")).",
                    remedy: "Name the device by its device id or UDID.")
            }
            if let only = found.first { return only }
        }
        throw CommandFailure(
            code: "device_missing", message: "No device is known as \(text).",
            remedy: "List the devices: baton admin device list; those under management: baton admin device managed.")
    }
}
