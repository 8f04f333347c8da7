// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrowserExtension
internal import BrowserWindows
internal import Files
internal import Glibc
internal import Logging
internal import Processes
internal import UnixSocket

/// A profile with which Firefox has been started once, so that a worker's first page appears sooner.
///
/// With an empty profile, Firefox installs the extension, makes its databases and fills its caches before it shows a page.
/// The agent lets it do this before a worker opens a page, in a sandbox without a screen and without the network, and
/// keeps the finished profile in memory that nobody can change. Each session begins with a copy of it. If there is no
/// such profile, a session begins with an empty one.
///
/// It belongs to the agent's thread; its own threads only wait.
final class FirefoxProfile {
    /// A profile that was made.
    struct Made: Sendable {
        /// The profile as an archive (tar(1)) that nobody can change.
        let archive: MemoryFile
        /// The Firefox that made the profile. An older Firefox would refuse the profile.
        let browser: FileStamp
    }

    /// A first start that is in progress.
    private struct FirstStart {
        let process: ChildProcess
        let browser: FileStamp
        /// The folder that only this first start uses.
        let folder: Directory
        /// The policies that Firefox reads, as they were written.
        let policies: KnownFiles
        let package: BrowserExtensionPackage
    }

    private enum State {
        /// Not made yet, or interrupted, or Firefox did not start as it should.
        case missing
        case beingMade(FirstStart)
        case made(Made)
    }

    /// The maximum size of a profile in bytes. A profile usually has thirty million bytes, most of them compiled
    /// scripts.
    private static let maximum = 64 << 20
    private static let folderName = "first-start"

    private let managed: ManagedBrowser?
    private let events: Mailbox<BrowserAgent.Event>
    private let logger: Logger
    private var state: State

    /// - Parameters:
    ///   - browser: the browser that the agent configures; nil if it configures none.
    ///   - made: the profile that was made in the agent's former start.
    init(
        of browser: ManagedBrowser?, made: Made?, events: Mailbox<BrowserAgent.Event>, logger: Logger
    ) {
        managed = browser?.kind == .firefox ? browser : nil
        (self.events, self.logger) = (events, logger)
        state = made.map(State.made) ?? .missing
    }

    /// Identifies the installed Firefox; nil if Firefox is not installed, or if the agent configures another browser.
    private var browser: FileStamp? { managed.flatMap { FileStamp(of: $0.policyPlaces.workers.file) } }

    /// The profile that the installed Firefox has made.
    var made: Made? {
        guard case .made(let made) = state, made.browser == browser else { return nil }
        return made
    }

    /// The process that makes the profile, if it runs.
    var child: ChildProcess? { if case .beingMade(let start) = state { start.process } else { nil } }

    /// The profile as an archive (tar(1)), to be read from its beginning; nil if the installed Firefox has made no profile.
    var archive: Descriptor? {
        guard let made else { return nil }
        do throws(FileError) { return try made.archive.reader() } catch {
            logger.warning("no profile of Firefox is prepared", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// Removes what the first start of a former agent left behind.
    ///
    /// - Parameter profiles: the agent's own folder.
    func clear(_ profiles: Directory) { remove(profiles.appending(Self.folderName)) }

    /// Starts Firefox for the first time, unless it has made the profile or is making it. If this fails, the agent
    /// tries again when it starts anew.
    ///
    /// - Parameter profiles: the agent's own folder.
    func make(in profiles: Directory, with package: BrowserExtensionPackage) {
        guard let managed, let browser, made == nil, child == nil else { return }
        let folder = profiles.appending(Self.folderName)
        do {
            try folder.removeTree()
            try folder.makePrivate()
            let prepared = try managed.firstStart(in: folder, package)
            let (ours, theirs) = try FrameConnection.pair(maximumFrame: 1)
            let session = BrowserEnvironment.session.filter { !["DISPLAY", "WAYLAND_DISPLAY"].contains($0.key) }
            // The process does not get the mark of the agent's browsers, because it shows no page and ends with the
            // agent.
            let process = try ChildProcess.spawn(
                executable: prepared.words[0], arguments: Array(prepared.words.dropFirst()),
                environment: WindowEnvironment.make(from: session),
                descriptors: [(theirs.descriptor, as: ManagedBrowser.archiveNumber)], output: .discarded)
            state = .beingMade(
                FirstStart(
                    process: process, browser: browser, folder: folder, policies: prepared.policies, package: package))
            try BlockingThread.start { [events] in
                let archive = Self.read(ours)
                let status = try? process.waitForExit()
                events.post(.firefoxStarted(by: process.pid, archive: status == .exited(0) ? archive : nil))
            }
        } catch {
            if child == nil { remove(folder) }
            logger.warning("no profile of Firefox is prepared", metadata: ["error": "\(error)"])
        }
    }

    /// Removes the folder of a first start. Nobody reads its files any more, and a file that somebody else put among
    /// them would go unnoticed.
    private func remove(_ folder: Directory) {
        do throws(FileError) { try folder.removeTree() } catch {
            logger.warning("the folder of Firefox's first start cannot be removed", metadata: ["error": "\(error)"])
        }
    }

    /// Reads the archive; blocks. If it is too long, returns nil without reading the rest, so that the first start
    /// ends.
    private static func read(_ connection: FrameConnection) -> [UInt8]? {
        defer { connection.shutDown() }
        var (archive, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 20))
        while archive.count <= maximum {
            let count = connection.descriptor.withNumber { unsafe Glibc.read($0, &buffer, buffer.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? archive : nil }
            archive += buffer[..<count]
        }
        return nil
    }

    /// Handles the end of a process that was to make the profile.
    ///
    /// - Parameter archive: the profile; nil if the process failed.
    func ended(_ process: Int32, archive: [UInt8]?) {
        guard case .beingMade(let start) = state, start.process.pid == process else { return }
        state = .missing
        let changes = Result { () throws(FileError) in
            [try start.policies.changed(), try start.package.changedFile()]
        }
        remove(start.folder)
        do throws(FileError) {
            let isUnchanged = try changes.get().allSatisfy { $0 == nil }
            guard let archive, isUnchanged else {
                let reason = isUnchanged ? "the first start failed" : "a file that it read was changed"
                return logger.warning("no profile of Firefox is prepared", metadata: ["reason": "\(reason)"])
            }
            let file = try MemoryFile(holding: archive)
            try file.seal()
            state = .made(Made(archive: file, browser: start.browser))
            logger.info("a profile of Firefox is prepared", metadata: ["bytes": "\(archive.count)"])
        } catch { logger.warning("no profile of Firefox is prepared", metadata: ["error": "\(error)"]) }
    }

    /// Ends the process that makes the profile, because no process that was started before the worker's browser may run
    /// beside it.
    ///
    /// - Throws: ``ProcessFailure`` if it does not end.
    func interrupt() throws(ProcessFailure) {
        guard let child else { return }
        try ProcessSweep.end(child)
        interrupted()
    }

    /// Records that the process that was making the profile was ended, so that ``make(in:with:)`` tries again.
    func interrupted() {
        guard case .beingMade(let start) = state else { return }
        state = .missing
        remove(start.folder)
    }
}
