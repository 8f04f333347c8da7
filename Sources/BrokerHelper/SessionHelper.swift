// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
internal import BrokerProtocol
internal import Files
internal import Glibc
package import Logging
internal import Processes
package import UnixSocket

/// Carries out each ``HelperRequest``. Mounts, control groups and files are the only record of sessions.
package struct SessionHelper: Sendable {
    private let configuration: HelperConfiguration
    private let storage: SessionStorage
    private let writable: WritableFolders
    private let logger: Logger

    /// Creates a helper, prepares the folder of its mounts, and begins to search the machine for the folders in which
    /// session users may create files.
    ///
    /// - Throws: ``HelperRefusal`` if the folder of the mounts cannot be used.
    package init(_ configuration: HelperConfiguration, logger: Logger) throws(HelperRefusal) {
        self.configuration = configuration
        self.logger = logger
        writable = WritableFolders(users: configuration.users, storage: configuration.storage, logger: logger)
        storage = SessionStorage(
            folder: Directory(path: configuration.storage), megabytes: configuration.megabytes)
        try storage.prepare()
        writable.refresh()
    }

    /// Carries out one request; blocks.
    ///
    /// - Parameter descriptors: the descriptors that came with the request: one pidfd for
    ///   ``HelperRequest/addProcess(epoch:user:)``, otherwise none.
    package func reply(to request: HelperRequest, _ descriptors: [Descriptor] = []) -> HelperReply {
        do throws(HelperRefusal) { return try carryOut(request, descriptors) } catch { return .refused(error) }
    }

    private func carryOut(_ request: HelperRequest, _ descriptors: [Descriptor]) throws(HelperRefusal) -> HelperReply {
        if case .addProcess = request {
        } else if !descriptors.isEmpty {
            throw HelperRefusal(.requestMalformed, "Only a request to add a process carries a descriptor. Send none.")
        }
        switch request {
        case .list:
            let groups = try SessionGroups.find()?.epochs() ?? []
            return .sessions(storage: try storage.epochs().sorted(by: isLess), groups: groups.sorted(by: isLess))
        case .makeStorage(let epoch, let user):
            let made = try storage.make(epoch, for: configuration.user(user))
            writable.refresh()
            return .storage(path: made.path, isSwapFree: made.isSwapFree)
        case .removeStorage(let epoch): try storage.remove(epoch)
        case .addProcess(let epoch, let user):
            guard descriptors.count == 1 else {
                throw HelperRefusal(
                    .processMissing, "The request came with \(descriptors.count) descriptors. Send one pidfd.")
            }
            try groups().add(descriptors[0], to: epoch, of: configuration.user(user))
        case .kill(let epoch):
            writable.halt()
            try groups().kill(epoch)
        case .report(let user, let since): return report(try configuration.user(user), since: since)
        }
        return .done
    }

    private func report(_ user: SystemUser, since: Int) -> HelperReply {
        writable.halt()
        defer { writable.resume() }
        let other = writable.findings
        let places = SearchedPlace.allCases.map { place in
            let own =
                switch place {
                case .home: [user.home]
                case .runtimeFiles: [SearchedPlace.runtimeFolders + "/\(user.number)"]
                case .temporaryFiles, .sharedMemory: [String]()
                // A session user may also write into the home of another session user.
                case .otherFolders: (other?.folders ?? []) + configuration.users.map(\.home).filter { $0 != user.home }
                }
            return (place, folders: own + place.commonFolders)
        }
        var unread: [SearchedPlace: Int32] = [:]
        var files: [String] = []
        do throws(FileError) {
            let subordinates = Result { () throws(SubordinateUsersError) in
                try SubordinateUsers.read(of: [user.number])
            }
            var folders = UserFolders(
                user: user.number, subordinates: (try? subordinates.get()) ?? SubordinateUsers(), since: since)
            let findings = folders.look(into: places, try MountTable.read())
            (files, unread) = (findings.files, findings.unread)
            if case .failure(let error) = subordinates {
                // Below the home, the owner of a file does not matter.
                for place in SearchedPlace.allCases where place != .home { unread[place] = error.errno }
            }
            if other?.isComplete != true { unread[.otherFolders] = unread[.otherFolders] ?? EAGAIN }
        } catch {
            for place in SearchedPlace.allCases { unread[place] = error.errno }
        }
        for (place, reason) in unread {
            logger.notice(
                "a place was not searched completely",
                metadata: ["place": "\(place.rawValue)", "error.number": "\(reason)"])
        }
        return .left(
            home: user.home, files: files, unread: SearchedPlace.allCases.filter { unread[$0] != nil },
            foldersSearched: other?.began)
    }

    private func groups() throws(HelperRefusal) -> SessionGroups {
        guard let groups = try SessionGroups.find() else {
            throw HelperRefusal(.groupsUnavailable, "This system has no control groups of version 2. Mount cgroup2.")
        }
        return groups
    }

    private func isLess(_ one: Epoch.ID, _ other: Epoch.ID) -> Bool { one.description < other.description }
}
