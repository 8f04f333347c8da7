// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import CommandLineInterface

/// The argument with which the commands of `baton admin` name a device: its name, device id, UDID or serial number.
struct DeviceName: ExpressibleByArgument {
    let text: String

    init(argument: String) { text = argument }

    /// Returns the device in the directory with this name.
    ///
    /// - Throws: ``CommandFailure`` if there is none, or more than one.
    func inDirectory(_ admin: AdminOptions) async throws -> IdentityAdmin.Device {
        let known = try await KnownDevices(admin)
        let found = try known.find(text, where: { $0.directory != nil })
        guard let device = found.directory else {
            throw CommandFailure(
                code: "device_not_joined", message: "\(found.label) is under management, but not in the directory.",
                remedy: "Join the device (baton device join). To list the devices of the directory, run: baton admin "
                    + "device list.")
        }
        return device
    }

    /// Returns the device under management with this name.
    ///
    /// - Throws: ``CommandFailure`` if there is none, or more than one.
    func inMDM(_ admin: AdminOptions) async throws -> MDMAdmin.Device {
        let known = try await KnownDevices(admin)
        let found = try known.find(text, where: { $0.managed != nil })
        guard let device = found.managed else {
            throw CommandFailure(
                code: "device_not_managed", message: "\(found.label) is in the directory, but not under management.",
                remedy: "Enroll the device (baton admin device add). To list the managed devices, run: baton admin "
                    + "device managed.")
        }
        return device
    }
}

/// The devices of a tenant, both in the directory and under management. The two records of one device form one entry.
private struct KnownDevices {
    struct Entry {
        let directory: IdentityAdmin.Device?
        let managed: MDMAdmin.Device?

        /// Whether `text` is an id that the server assigned to the device. Two devices never have the same id.
        func hasID(_ text: String) -> Bool {
            [directory?.deviceID, directory?.id].contains(text.lowercased())
        }

        /// Whether `text` is the device's UDID, its name in the directory or under management, or its serial number.
        func hasName(_ text: String) -> Bool {
            let udid = managed?.udid ?? directory?.udid
            if let udid, udid.lowercased() == text.lowercased() { return true }
            if directory?.displayName == text { return true }
            // After a device has left, its name may be used again.
            guard let managed, managed.state != "left" else { return false }
            return managed.name == text || managed.serialNumber == text
        }

        /// The device's name with its ids, which distinguish it from other devices.
        var label: String {
            let name = directory?.displayName ?? managed?.name ?? ""
            let ids = [directory.map { "device id \($0.deviceID)" }, managed.map { "UDID \($0.udid)" }]
            return "\(name) (\(ids.compactMap(\.self).joined(separator: ", ")))"
        }
    }

    private let entries: [Entry]

    init(_ admin: AdminOptions) async throws {
        let directory = try await admin.call(IdentityAdmin.listDevices())
        let managed = try await admin.call(MDMAdmin.listManagedDevices())
        let joined = directory.map { device in
            Entry(directory: device, managed: managed.first { $0.udid == device.udid })
        }
        let udids = Set(joined.compactMap(\.managed?.udid))
        entries = joined + managed.filter { !udids.contains($0.udid) }.map { Entry(directory: nil, managed: $0) }
    }

    /// Returns the only device that matches `text` and for which `isFit` is true. If there is no such device, returns a
    /// match for which `isFit` is false, so that the caller can give the reason.
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
