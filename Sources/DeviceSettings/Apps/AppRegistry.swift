// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

/// Every app that may ask for accounts and tokens, how the broker identifies each app, and the rules that apply to all
/// of them. The registry is checked as a whole: if two entries claim the same bundle id, client id or user, neither can
/// be trusted.
package struct AppRegistry: Sendable, Codable, Equatable {
    package let apps: [RegisteredApp]
    package let rules: AppPermissions

    /// A registry without apps.
    package static let none = AppRegistry(apps: [], rules: AppPermissions())

    private init(apps: [RegisteredApp], rules: AppPermissions) {
        self.apps = apps
        self.rules = rules
    }

    /// Combines the declarations of the MDM and of the device's own file.
    ///
    /// - Parameters:
    ///   - file: the device's own registry; nil if there is none.
    ///   - sharedUsers: root, the broker's user and the session's users. No app may have one of them as its own user.
    /// - Throws: ``RegistryFailure`` for the first entry that is invalid or makes an app's identity ambiguous.
    package init(
        managed: ManagedSettings, file: RegistryFile?, sharedUsers: Set<UInt32>
    ) throws(RegistryFailure) {
        if let failure = managed.registryFailure { throw failure }
        var apps = managed.apps
        var seen: Set<String> = []
        for entry in file?.entries ?? [] {
            guard seen.insert(entry.bundleID).inserted else { throw RegistryFailure(.appTwice, entry.bundleID) }
            try Self.add(entry, to: &apps, isManaged: managed.installed.contains(entry.bundleID))
        }
        apps += [.commandLine, .homeScreen, .browser]
        try Self.check(apps, sharedUsers)
        self.init(apps: apps, rules: managed.rules)
    }

    /// Adds the clients of a registry entry. If the MDM declared the app, sets the app's binding instead.
    private static func add(
        _ entry: RegistryFile.Entry, to apps: inout [RegisteredApp], isManaged: Bool
    ) throws(RegistryFailure) {
        let declared = apps.indices.filter { apps[$0].bundleID == entry.bundleID }
        guard declared.isEmpty || entry.clients.isEmpty else { throw RegistryFailure(.appTwice, entry.bundleID) }
        for index in declared {
            if let binding = entry.binding {
                guard apps[index].binding == .session || apps[index].binding == binding else {
                    throw RegistryFailure(.appTwice, entry.bundleID)
                }
                apps[index].binding = binding
            }
            if let folders = entry.dataFolders { apps[index].dataFolders = folders }
        }
        apps += entry.clients.map { client in
            RegisteredApp(
                bundleID: entry.bundleID, clientID: client.clientID, redirectURIs: client.redirectURIs,
                binding: entry.binding ?? .session, source: .device, isManaged: isManaged,
                dataFolders: entry.dataFolders ?? [])
        }
    }

    private static func check(_ apps: [RegisteredApp], _ sharedUsers: Set<UInt32>) throws(RegistryFailure) {
        var clients: Set<String> = []
        var users: [UInt32: String] = [:]
        for app in apps {
            guard isName(app.bundleID) else { throw RegistryFailure(.name, app.bundleID) }
            guard clients.insert(app.clientID.lowercased()).inserted else {
                throw RegistryFailure(.clientTwice, app.bundleID)
            }
            guard case .user(let user) = app.binding else { continue }
            guard !sharedUsers.contains(user) else { throw RegistryFailure(.userShared, app.bundleID) }
            guard users.updateValue(app.bundleID, forKey: user) ?? app.bundleID == app.bundleID else {
                throw RegistryFailure(.userTwice, app.bundleID)
            }
        }
        try checkData(of: apps)
    }

    /// Checks that no folder of data belongs to two apps, and that the agent may take each folder away: the folder's
    /// app must run as the session's user.
    private static func checkData(of apps: [RegisteredApp]) throws(RegistryFailure) {
        var owners: [(folder: DataFolder, app: String)] = []
        for app in apps where !app.dataFolders.isEmpty {
            guard app.binding == .session else {
                throw RegistryFailure(
                    .dataFolder, app.bundleID, detail: "its level is \(app.binding.level), not session")
            }
            // An app may have several clients.
            guard !owners.contains(where: { $0.app == app.bundleID }) else { continue }
            for folder in app.dataFolders {
                if let other = owners.first(where: { $0.folder.overlaps(folder) }) {
                    throw RegistryFailure(
                        .dataFolderTwice, app.bundleID,
                        detail: "\(folder.path) of \(app.bundleID), and \(other.folder.path) of \(other.app)")
                }
                owners.append((folder, app.bundleID))
            }
        }
    }

    /// The folders in which apps keep the worker's data, by the apps' bundle ids.
    package var dataFolders: [String: [DataFolder]] {
        apps.reduce(into: [:]) { folders, app in
            if !app.dataFolders.isEmpty { folders[app.bundleID] = app.dataFolders }
        }
    }

    /// Whether `text` may be an app's name. The name is also used as a file name.
    package static func isName(_ text: String) -> Bool {
        let letters =
            (1...100).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber
                    || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_")].contains(byte)
            }
        return letters && text.utf8.allSatisfy { $0 < 0x80 } && text.utf8.first != UInt8(ascii: ".")
    }

    /// The apps that have their own user, keyed by that user.
    package var users: [UInt32: String] {
        apps.reduce(into: [:]) { users, app in if case .user(let user) = app.binding { users[user] = app.bundleID } }
    }

    /// The apps that have their own socket.
    package var sockets: Set<String> {
        Set(apps.filter { $0.binding == .socket }.map(\.bundleID))
    }
}
