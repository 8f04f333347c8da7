// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import Leftovers
package import Processes

/// The parts of a device that an audit reads.
package struct AuditScope: Sendable {
    /// The device's state folder.
    package let state: String
    /// The agent's folder of browser profiles; nil if the device has no agent.
    package let profiles: String?
    /// The users of graphical sessions.
    package let users: [SystemUser]
    /// The folder of Baton's programs. Processes that run these programs do not belong to a worker.
    package let programs: String
    /// Folders that are not read.
    package let skipped: [String]
    /// The file of the snapshot, which is not read either.
    package let snapshot: String?

    package init(
        state: String, profiles: String?, users: [SystemUser], programs: String, skipped: [String],
        snapshot: String? = nil
    ) {
        self.state = state
        self.profiles = profiles
        self.users = users
        self.programs = programs
        self.skipped = skipped
        self.snapshot = snapshot
    }

    /// What a snapshot records about the scope in which it was taken.
    package var record: AuditSnapshot.Scope {
        AuditSnapshot.Scope(
            state: state, profiles: profiles, users: users.map(\.number).sorted(), skipped: Set(skipped).sorted())
    }

    /// The folders named by entries of ``Leftover``, in which an audit reads the files of every user.
    ///
    /// Folders in which every user may create files are not included: there, only the session users' files can belong
    /// to a worker.
    var namedFolders: [String] { [state] + [profiles].compactMap(\.self) + Self.systemFolders }

    /// Folders that services fill on behalf of a worker.
    private static let systemFolders: [String] = {
        let shared = SearchedPlace.allCases.flatMap(\.commonFolders) + [SearchedPlace.runtimeFolders]
        return Leftover.all.flatMap(\.places).compactMap { place in
            guard case .path(let pattern) = place, pattern.hasSuffix("/*") else { return nil }
            let folder = String(pattern.dropLast(2))
            return shared.contains(folder) ? nil : folder
        }
    }()

    /// Returns the first entry that explains the item; nil if none does.
    ///
    /// In the device's own folders only the entries for those folders count: a file there is unexplained if no such
    /// entry names it.
    func entry(for item: AuditItem) -> Leftover? {
        switch item.kind {
        case .file:
            if let name = below(state, item.name) {
                return first { if case .state = $0 { $0.matches(name) } else { false } }
            }
            if let profiles, let name = below(profiles, item.name) {
                return first { if case .profiles = $0 { $0.matches(name) } else { false } }
            }
            return Leftover.entry(ofFile: item.name, homes: users.map(\.home))
        case .mount:
            return first { if case .path = $0 { $0.matches(item.name) } else { $0 == .object(.mount) } }
        case .browserProcess, .ownProcess, .process, .socket, .listener, .ipc:
            return item.kind.object.flatMap { object in first { $0 == .object(object) } }
        }
    }

    private func first(_ matches: (Leftover.Place) -> Bool) -> Leftover? {
        Leftover.all.first { $0.places.contains(where: matches) }
    }

    func isBelow(_ folder: String, _ path: String) -> Bool { below(folder, path) != nil }

    /// Returns the path relative to the folder; nil if it is not below the folder.
    private func below(_ folder: String, _ path: String) -> String? {
        let start = folder == "/" ? folder : folder + "/"
        return path.hasPrefix(start) ? String(path.dropFirst(start.count)) : nil
    }
}
