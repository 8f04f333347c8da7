// SPDX-License-Identifier: Apache-2.0
import AdminAPI
internal import BrokerIPC
import CommandLineInterface
internal import Files
import FoundationEssentials
import Glibc
import MDMProtocol
import Processes

/// The developer's own apps in an environment that another process keeps running.
struct OwnApps {
    /// One app, with the values that its code must use.
    struct Registration: Encodable {
        let id: String
        let clientID: String
        let redirectURI: String
        let authority: String
        /// Whether this call registered the app.
        let isNew: Bool
        /// The folders in which the app keeps a worker's data; nil if this call did not set them.
        let dataFolders: [String]?

        private enum CodingKeys: String, CodingKey {
            case id, clientID = "clientId", redirectURI = "redirectUri", authority, isNew, dataFolders
        }

        /// The environment variables with which the app is started.
        var variables: [(name: String, value: String)] {
            [("BATON_CLIENT_ID", clientID), ("BATON_REDIRECT_URI", redirectURI), ("BATON_AUTHORITY", authority)]
        }

        /// The registration as lines.
        var lines: [String] {
            ["\(id) is registered\(isNew ? "" : " already"):"] + variables.map { "  \($0.name)=\($0.value)" }
                + (dataFolders?.map { "  data folder  \($0)" } ?? [])
                + (dataFolders == [] ? ["  no data folder"] : [])
        }
    }

    let layout: EnvironmentLayout
    private let facts: EnvironmentFacts
    private let tenantID: String

    /// - Throws: ``CommandFailure`` if the folder has no environment that was started before.
    init(_ layout: EnvironmentLayout) throws {
        self.layout = layout
        guard let facts = try layout.knownFacts(), let tenantID = facts.tenantID, facts.isPushed else {
            throw CommandFailure(
                code: "environment_missing", message: "There is no environment in \(layout.root).",
                remedy: "Start it in another terminal: make up; or give its folder with --directory.")
        }
        (self.facts, self.tenantID) = (facts, tenantID)
    }

    /// Registers an app at the identity platform, and has the MDM configure it on the device. If the app is already
    /// registered, its registration stays as it is.
    ///
    /// - Parameters:
    ///   - clientID: the client id in the app's code; nil to keep the app's present client id or, if it has none, to
    ///     make a new one.
    ///   - folders: the folders in which the app keeps a worker's data; nil to leave them as they are.
    ///   - program: the path of the app's program, which must not be in such a folder.
    ///   - patience: how long to wait while another command registers an app.
    /// - Throws: ``CommandFailure``, for example if the app or the client id belongs to somebody else. In that case,
    ///   nothing is registered.
    func register(
        _ id: String, clientID: String?, dataFolders folders: [String]?, program: String? = nil, patience: Duration
    ) async throws -> Registration {
        try await checkRunning()
        // Of two concurrent calls, the second sees what the first has registered.
        let lock = try await lock(within: patience)
        defer { withExtendedLifetime(lock) {} }
        var known = try known()
        try check(id, clientID, among: known)
        try check(folders ?? [], program: program)
        let former = known[id]
        let client = former ?? clientID?.lowercased() ?? UUID().uuidString.lowercased()
        let registration = Registration(
            id: id, clientID: client, redirectURI: "msauth.\(id)://auth", authority: "\(facts.loginURL)/\(tenantID)",
            isNew: former == nil, dataFolders: folders)
        guard former == nil || folders != nil else { return registration }
        if former == nil { try await add(registration) }
        do { try await install(registration, folders ?? []) } catch {
            if former == nil { try await takeBack(registration, because: error) }
            throw error
        }
        if former == nil {
            known[id] = client
            try layout.write(known, to: layout.ownApps)
        }
        return registration
    }

    /// Registers a client at the identity platform.
    private func add(_ app: Registration) async throws {
        let body = IdentityAdmin.NewClient(id: app.clientID, displayName: app.id, redirectURIs: [app.redirectURI])
        do {
            try await admin.call(IdentityAdmin.addClient(["tenant": tenantID], body: body))
        } catch let failure as CommandFailure where failure.code == "identity.name.taken" {
            throw clientTaken(app.clientID, by: "an app that is registered already")
        }
    }

    /// Waits for the lock on the list of apps.
    ///
    /// - Throws: ``CommandFailure`` that names the process with the lock, if that process does not release it in time.
    private func lock(within patience: Duration) async throws -> FileLock {
        let path = layout.ownApps + ".lock"
        let deadline = ContinuousClock.now + patience
        while true {
            if let lock = try FileLock(path, isPatient: false) {
                try lock.write("\(getpid())\n")
                return lock
            }
            guard ContinuousClock.now < deadline else { throw locked(path) }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    private func locked(_ path: String) -> CommandFailure {
        let text = (try? AtomicFile(path: path).read(limit: 64)).map { String(decoding: $0, as: UTF8.self) }
        let holder = text.flatMap { Int32($0.trimmingPrefix { $0 == " " }.prefix { $0.isNumber }) }
        return CommandFailure(
            code: "own_apps_locked",
            message: "Another command registers an app in this environment and does not finish"
                + (holder.map { ": process \($0)." } ?? ". Its process is not known."),
            remedy: holder.map { "Wait until it has ended, or end it (kill \($0)); then run this command again." }
                ?? "Find the process that has \(path) open (fuser), and end it; then run this command again.")
    }

    /// Removes the client of an app that the device has refused.
    ///
    /// - Throws: the refusal if the client could not be removed. The error also says why the removal failed.
    private func takeBack(_ app: Registration, because refusal: any Error) async throws {
        do {
            try await admin.call(IdentityAdmin.removeClient(["tenant": tenantID, "client": app.clientID]))
        } catch {
            throw CommandFailure(reading: refusal).adding(
                CommandFailure(reading: error),
                doing: "Its client \(app.clientID) could not be removed from the identity platform",
                remedy: "Remove the client, too: baton admin client remove \(app.clientID).")
        }
    }

    /// Makes the MDM configure an app on the device. The device refuses folders that belong to another app.
    private func install(_ app: Registration, _ folders: [String]) async throws {
        let setup = LocalDeviceSetup(admin: admin, facts: facts, layout: layout)
        let command = try await setup.install(
            app.id, clientID: app.clientID, redirectURI: app.redirectURI, dataFolders: folders)
        try await device.checkIn()
        if let failure = try await setup.failure(of: command) {
            throw CommandFailure(
                code: "device_refused", message: "The device did not register \(app.id): \(failure)",
                remedy: "Correct what the message names, and run the command again.")
        }
    }

    private var admin: AdminClient { AdminClient(socket: layout.server + "/admin.sock") }
    private var device: OperatorClient { OperatorClient(runtimeDirectory: layout.run) }

    private func checkRunning() async throws {
        do { _ = try await device.status() } catch let failure as CommandFailure {
            guard failure.exitCode == .unreachable else { throw failure }
            throw CommandFailure(
                code: "environment_stopped", message: "The environment in \(layout.root) does not run.",
                remedy: "Start it in another terminal: make up; or give another folder with --directory.",
                exitCode: .unreachable)
        }
    }

    /// Refuses folders that the agent must not take away, or that the device would not accept.
    private func check(_ folders: [String], program: String?) throws {
        func refusal(_ reason: String) -> CommandFailure {
            CommandFailure(
                code: "data_folder_refused", message: "The folders of data cannot be used: \(reason).",
                remedy: "Name folders with data of a worker and nothing else: the agent takes them away at a sign-out.")
        }
        if let objection = DataFolderRule.objection(to: folders) { throw refusal(objection) }
        let home = FileManager.default.homeDirectoryForCurrentUser.path
        var kept = [(home, "your home folder"), (layout.root, "the environment")]
        if let program { kept.append((program, "the app's program")) }
        for folder in folders {
            for (path, name) in kept where (path + "/").hasPrefix(folder + "/") {
                throw refusal(path == folder ? "\(folder) is \(name)" : "\(folder) contains \(name)")
            }
            let inside = (folder + "/").hasPrefix(layout.root + "/")
            guard !inside || folder.hasPrefix(layout.apps + "/") else {
                throw refusal("\(folder) is in the environment")
            }
        }
    }

    private func known() throws -> [String: String] {
        guard let bytes = try AtomicFile(path: layout.ownApps).read() else { return [:] }
        do { return try JSONDecoder().decode([String: String].self, from: Data(bytes)) } catch {
            throw CommandFailure(
                code: "own_apps_unreadable", message: "\(layout.ownApps) cannot be read.",
                remedy: "Correct it, or remove the folder \(layout.root) and start it again.")
        }
    }

    private func check(_ id: String, _ clientID: String?, among known: [String: String]) throws {
        // The id is part of the redirect URI's scheme (RFC 3986, section 3.1), which has no upper case and no underscore.
        guard AppManifest.isSafeName(id), id.wholeMatch(of: /[a-z0-9-]+(\.[a-z0-9-]+)+/) != nil else {
            throw CommandFailure(
                code: "app_name", message: "\(id.prefix(100)) is not a valid id of an app.",
                remedy: "Use words of lower-case letters, digits and hyphens with dots between them, such as "
                    + "com.example.rounds.")
        }
        guard !id.hasPrefix("org.baton.") else {
            throw CommandFailure(
                code: "app_of_environment", message: "\(id) belongs to an app of Baton.",
                remedy: "Give your app an id of its own with --id, such as com.example.rounds.")
        }
        guard let clientID = clientID?.lowercased() else { return }
        guard UUID(uuidString: clientID) != nil else {
            throw CommandFailure(
                code: "client_id_invalid", message: "\(clientID.prefix(100)) is not a client id.",
                remedy: "Use a UUID; or leave --client-id out, and use the one that is printed.")
        }
        if let former = known[id], former != clientID {
            throw CommandFailure(
                code: "app_has_client", message: "\(id) is registered already, with the client id \(former).",
                remedy: "Name that client id in the app's code, or register the other one for another app.")
        }
        let owners = known.merging(facts.apps.map { ($0.bundleID, $0.clientID) }) { own, _ in own }
        guard let owner = owners.first(where: { $0.value == clientID && $0.key != id })?.key else { return }
        throw clientTaken(clientID, by: owner)
    }

    private func clientTaken(_ clientID: String, by owner: String) -> CommandFailure {
        CommandFailure(
            code: "client_of_other_app", message: "The client id \(clientID) belongs to \(owner).",
            remedy: "Leave --client-id out, and use the client id that is printed.")
    }
}
