// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Files
internal import Glibc
internal import JSON

/// The device's own registry of apps, for facts that an MDM cannot know, such as a user id. The file belongs to root,
/// or to the broker's user if the broker runs without privileges.
package struct RegistryFile: Sendable, Equatable {
    /// The file's entry for one app.
    package struct Entry: Sendable, Equatable {
        package let bundleID: String
        /// The app's binding; nil if the file names no level.
        package let binding: AppBinding?
        package let clients: [Client]
        /// The folders of the worker's data; nil if the file names none.
        package let dataFolders: [DataFolder]?
    }

    /// A client id, and the addresses to which the identity platform may send its answers.
    package struct Client: Sendable, Equatable, Decodable {
        package let clientID: String
        package let redirectURIs: [String]
    }

    package let entries: [Entry]

    private static let limits = JSONLimits(bytes: 1 << 20, depth: 6, values: 16 << 10, stringBytes: 2048)

    /// Reads the file at `path`.
    ///
    /// - Throws: ``RegistryFailure`` if the file is missing, if anybody except root and the broker's user may write to
    ///   it, or if it contains an unknown key or value.
    package init(path: String) throws(RegistryFailure) {
        try Self.trust(path)
        let bytes: [UInt8]?
        do { bytes = try AtomicFile(path: path).read(limit: Self.limits.bytes) } catch {
            throw RegistryFailure(.unreadable, path)
        }
        guard let bytes else { throw RegistryFailure(.missing, path) }
        let content: Content
        do { content = try JSONReader.read(Content.self, from: bytes, limits: Self.limits) } catch let error
            as RegistryFailure
        { throw error } catch { throw RegistryFailure(.malformed, path) }
        entries = content.apps.map(\.entry)
    }

    /// Checks that only root and this process's user are able to write or replace the file.
    ///
    /// - Throws: ``RegistryFailure``.
    package static func trust(_ path: String) throws(RegistryFailure) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        for (place, kind) in [(path, S_IFREG), (folder.isEmpty ? "/" : folder, S_IFDIR)] {
            var status = stat()
            // A folder may be reached through a link. The check applies to the folder that really holds the file.
            let outcome = unsafe kind == S_IFREG ? lstat(place, &status) : stat(place, &status)
            guard outcome == 0 else { throw RegistryFailure(errno == ENOENT ? .missing : .unreadable, path) }
            guard status.st_uid == 0 || status.st_uid == geteuid() else { throw RegistryFailure(.owner, path) }
            guard status.st_mode & S_IFMT == kind, status.st_mode & 0o022 == 0 else {
                throw RegistryFailure(.mode, path)
            }
        }
    }
}

// MARK: - File format

extension RegistryFile {
    private struct Content: Decodable {
        let apps: [App]

        init(from decoder: any Decoder) throws {
            let values = try StrictKeys(decoder, ["apps"])
            apps = try values.container.decode([App].self, forKey: "apps")
        }
    }

    private struct App: Decodable {
        let entry: Entry

        init(from decoder: any Decoder) throws {
            let values = try StrictKeys(decoder, ["id", "level", "user", "clients", "dataFolders"]).container
            let bundleID = try values.decode(String.self, forKey: "id")
            let level = try values.decodeIfPresent(String.self, forKey: "level")
            let user = try values.decodeIfPresent(UInt32.self, forKey: "user")
            let binding = AppBinding(level: level, user: user)
            guard binding != nil else { throw RegistryFailure(.level, bundleID) }
            entry = Entry(
                bundleID: bundleID, binding: level == nil ? nil : binding,
                clients: try values.decodeIfPresent([Client].self, forKey: "clients") ?? [],
                dataFolders: try values.decodeIfPresent([String].self, forKey: "dataFolders").map {
                    (paths) throws(RegistryFailure) in try DataFolder.list(paths, of: bundleID)
                })
        }
    }
}

extension RegistryFile.Client {
    package init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, ["clientId", "redirectUris"]).container
        clientID = try values.decode(String.self, forKey: "clientId")
        redirectURIs = try values.decode([String].self, forKey: "redirectUris")
    }
}

/// A JSON object in which an unknown key is an error, so that a misspelt key is never ignored.
private struct StrictKeys {
    let container: KeyedDecodingContainer<Name>

    init(_ decoder: any Decoder, _ known: Set<String>) throws {
        container = try decoder.container(keyedBy: Name.self)
        guard container.allKeys.allSatisfy({ known.contains($0.stringValue) }) else {
            throw UnknownKey()
        }
    }

    struct UnknownKey: Error {}

    struct Name: CodingKey, ExpressibleByStringLiteral {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringLiteral value: String) { stringValue = value }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
