// SPDX-License-Identifier: Apache-2.0
internal import DeviceKeyStore
internal import Encodings
package import Files
internal import FoundationEssentials
internal import MDMProtocol

/// The files under `management/`: one record, the identities that it names, and the packages of managed apps.
///
/// Every call blocks on the disk.
package struct MDMStore: Sendable {
    let root: Directory

    package static let fileName = "management/state.json"

    package init(root: Directory) { self.root = root }

    var apps: Directory { root.appending("apps") }
    /// Keys with their certificates, each in a file that only this user may read.
    var identities: Directory { root.appending("identities") }
    /// Packages that are being fetched. Cleared at every start.
    var incoming: Directory { root.appending("incoming") }

    /// Reads the record; nil on a device that has never enrolled.
    ///
    /// - Throws: ``DeviceStateDamaged`` if the record exists and cannot be read. In that case the device must not count
    ///   as unmanaged.
    package func load() throws -> MDMRecord? {
        guard let bytes = try root.file("state.json").read(limit: 64 << 20) else { return nil }
        do { return try JSONDecoder().decode(MDMRecord.self, from: Data(bytes)) } catch {
            throw DeviceStateDamaged(file: Self.fileName)
        }
    }

    /// The bundle ids of the managed apps, except the broker, that have a package on the device. They can be read even
    /// if the record cannot.
    package func appNames() throws(FileError) -> [String] {
        try apps.names().filter { $0 != MDMState.brokerIdentifier }
    }

    /// Writes the record durably.
    func save(_ record: MDMRecord) throws {
        try root.make()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        try root.file("state.json").replace(with: Array(try encoder.encode(record)))
    }

    /// Removes keys and packages that the record does not name: leftovers of a crash, older versions, and files of an
    /// ended enrollment.
    func sweep(keeping record: MDMRecord?) throws {
        try incoming.removeTree()
        let credentials = [record?.enrollment?.credentials, record?.enrollment?.former].compactMap(\.self)
        for name in try identities.names() where !credentials.contains(where: { $0.identity == name }) {
            try identities.file(name).remove()
        }
        if try identities.names().isEmpty { try identities.removeTree() }
        let kept = Set(
            (record?.apps.values.map(\.path) ?? []).map { $0.split(separator: "/").prefix(2).joined(separator: "/") })
        for identifier in try apps.names() {
            let folder = apps.appending(identifier)
            for version in try folder.names() where !kept.contains("\(identifier)/\(version)") {
                try folder.appending(version).removeTree()
            }
            if try folder.names().isEmpty { try folder.removeTree() }
        }
        if try apps.names().isEmpty { try apps.removeTree() }
    }

    /// Moves a fetched package to its final path, durably.
    ///
    /// - Returns: the path, relative to the folder of apps.
    func place(_ draft: String, manifest: AppManifest) throws(FileError) -> String {
        // The folder is named after the digest, so that a package never replaces a different package that a record
        // still names.
        let digest = Hexadecimal.text(manifest.sha256)
        let folder = apps.appending(manifest.bundleIdentifier).appending(digest)
        try folder.make()
        try folder.adopt(draft, as: "package")
        return "\(manifest.bundleIdentifier)/\(digest)/package"
    }
}
