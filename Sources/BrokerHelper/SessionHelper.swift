// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
internal import BrokerProtocol
internal import Files
internal import Processes
package import UnixSocket

/// Carries out each ``HelperRequest``. It keeps no state: mounts, control groups and files are the only record.
package struct SessionHelper: Sendable {
    private let configuration: HelperConfiguration
    private let storage: SessionStorage

    /// Creates a helper and prepares the folder of its mounts.
    ///
    /// - Throws: ``HelperRefusal`` if that folder cannot be used.
    package init(_ configuration: HelperConfiguration) throws(HelperRefusal) {
        self.configuration = configuration
        storage = SessionStorage(
            folder: Directory(path: configuration.storage), megabytes: configuration.megabytes)
        try storage.prepare()
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
            return .storage(path: made.path, isSwapFree: made.isSwapFree)
        case .removeStorage(let epoch): try storage.remove(epoch)
        case .addProcess(let epoch, let user):
            guard descriptors.count == 1 else {
                throw HelperRefusal(
                    .processMissing, "The request came with \(descriptors.count) descriptors. Send one pidfd.")
            }
            try groups().add(descriptors[0], to: epoch, of: configuration.user(user))
        case .kill(let epoch): try groups().kill(epoch)
        case .report(let user, let since):
            let user = try configuration.user(user)
            let own = [user.home, HelperRequest.runtimeFolders + "/\(user.number)"]
            let findings = UserFolders(user: user.number, since: since).look(into: own + HelperRequest.sharedFolders)
            return .left(home: user.home, files: findings.files, isComplete: findings.isComplete)
        }
        return .done
    }

    private func groups() throws(HelperRefusal) -> SessionGroups {
        guard let groups = try SessionGroups.find() else {
            throw HelperRefusal(.groupsUnavailable, "This system has no control groups of version 2. Mount cgroup2.")
        }
        return groups
    }

    private func isLess(_ one: Epoch.ID, _ other: Epoch.ID) -> Bool { one.description < other.description }
}
