// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceKeyStore
internal import DeviceSettings
internal import Files
internal import Glibc
internal import MDMClient

/// Ends the quarantine: moves aside what belongs to the join and to sessions, so that the device starts as a device
/// that has not joined. The new journal requests an ordinary sign-out, which clears anything left of a worker.
struct Recovery {
    private let files: DeviceFiles
    private let reason: QuarantineReason
    /// The apps to lock; nil if the file with the locks is intact. If that file is damaged, these are all known apps of
    /// the device, because any of them may still have a worker's data.
    private let appsToLock: Set<String>?
    private let now: @Sendable () -> Int

    /// - Parameter registry: the path of the device's own registry of apps, if it has one.
    /// - Throws: ``FileError`` or ``RegistryFailure`` if it is unknown which apps to lock.
    init(files: DeviceFiles, reason: QuarantineReason, registry: String?, now: @escaping @Sendable () -> Int) throws {
        self.files = files
        self.reason = reason
        self.now = now
        do {
            _ = try files.locks()
            appsToLock = nil
        } catch is DeviceStateDamaged {
            let file = try registry.map { (path) throws(RegistryFailure) in try RegistryFile(path: path) }
            let managed = try MDMStore(root: files.management).appNames()
            // The file with the lock reasons also names apps that are no longer installed, if their data could not be
            // taken away.
            let former = try Self.appsWithLockReasons(in: files)
            appsToLock = Set(managed + former + (file?.entries.map(\.bundleID) ?? []))
        }
    }

    private static let folderName = "quarantine"
    private static let ofJoin = [
        "join.json", "join-confirmed.json", "tombstones.json", "ended-sessions.json", "live-session.json",
        "session-timer.json",
        "browser-holder.json", DeviceFiles.Name.registration,
    ]
    /// Names used only by earlier formats of the state.
    private static let ofEarlierForms = ["principals.json", "stay.json"]
    private static let ofMachine = ["machine-binding", "receipts", "management"]
    private static let keysOfMachine =
        ReceiptKey.files + [SealingKey.plainFile, SealingKey.platformFile, EpochCount.fileName]

    /// Returns the apps that have a lock reason. If the file with the reasons is also damaged, returns no apps, because
    /// a recovery must be possible even then.
    ///
    /// - Throws: ``FileError`` if the file cannot be read.
    private static func appsWithLockReasons(in files: DeviceFiles) throws -> [String] {
        do { return Array(try files.lockReasons().keys) } catch is DeviceStateDamaged { return [] }
    }

    /// Moves everything aside. After a crash, a second call moves what is left.
    ///
    /// - Returns: the folder that holds the files now.
    /// - Throws: ``FileError``.
    func run() throws -> String {
        let isForeign = reason.isForeign
        let commit = commit(isForeign: isForeign)
        let folder = try folder()
        if let appsToLock {
            try files.copy(DeviceFiles.Name.locks, to: folder)
            try files.write(locks: Dictionary(uniqueKeysWithValues: appsToLock.map { (.whole($0), commit.ended) }))
        }
        var names = Self.ofJoin + Self.ofEarlierForms
        if isForeign { names += Self.ofMachine }
        if reason == .damaged(file: MDMStore.fileName) { names.append("management") }
        // If the damaged file has already been replaced by an order to reset, that order is kept.
        if reason == .damaged(file: DeviceFiles.Name.departure), (try? files.departure()) == nil {
            names.append(DeviceFiles.Name.departure)
        }
        for name in names { try files.root.file(name).move(to: folder.path + "/" + name) }
        for name in DeviceKeys.files + (isForeign ? Self.keysOfMachine : []) {
            try files.keys.file(name).move(to: folder.path + "/" + name)
        }
        // Remove the offline leases, so that nobody can sign in with them any more.
        try files.offline.removeTree()
        try files.writeFormat()
        try files.prepare()
        try files.clearSession(of: commit.ended)
        try files.copy(DeviceFiles.Name.journal, to: folder)
        for directory in [folder, files.keys, files.root] { try directory.sync() }
        // From here on the state can be read again.
        try files.write(.signingOut(commit))
        return folder.path
    }

    /// Makes the folder into which the files are moved, and removes the files of earlier recoveries: only one
    /// generation is kept.
    private func folder() throws -> Directory {
        let parent = files.root.appending(Self.folderName)
        try parent.make(mode: 0o700)
        let name = String(now())
        for old in try parent.names() where old != name { try parent.appending(old).removeTree() }
        let folder = parent.appending(name)
        try folder.make(mode: 0o700)
        return folder
    }

    /// Returns the commit that ends the journal's epoch. If no journal can be used, the commit ends a new epoch, whose
    /// number is higher than the epoch number in the newest receipt, because an epoch's number is never reused. If
    /// recovery also moves aside what belongs to the machine, the numbers start again at 1.
    private func commit(isForeign: Bool) -> Commit {
        var random = SystemRandomNumberGenerator()
        let journal = isForeign ? nil : (try? files.journal()) ?? nil
        let ended: Epoch
        switch journal {
        case .signingOut(let commit): return commit
        case .ready(let epoch), .signingIn(let epoch), .signedIn(let epoch, _, _): ended = epoch
        case nil:
            let receipt = ((try? ReceiptStore(directory: files.receipts).end()) ?? nil).flatMap { Epoch($0.ended) }
            let counter = isForeign ? 1 : (receipt?.counter ?? 0) + 2
            ended = Epoch(random: &random, counter: counter)
        }
        return Commit(
            ended: ended, next: Epoch(random: &random, counter: ended.counter + 1), trigger: .operator, isAttempt: true)
    }
}
