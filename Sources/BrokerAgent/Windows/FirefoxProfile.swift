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
/// keeps the profile in memory that nobody can change. Each session begins with a copy. Without this profile, a session
/// begins with an empty one.
///
/// It belongs to the agent's thread; its own threads only wait.
final class FirefoxProfile {
    /// A profile that was made.
    struct Made: Sendable {
        /// The profile (tar(1)), which nobody can change.
        let archive: MemoryFile
        /// The Firefox that has made it. An older one would refuse it.
        let browser: FileStamp
    }

    private enum State {
        /// Not made yet, or interrupted.
        case missing
        /// Firefox runs, and writes the archive in the end.
        case beingMade(ChildProcess, Made)
        case made(Made)
        /// Firefox did not start. It is not tried again.
        case failed
    }

    /// The most bytes of a profile; it usually has thirty million, most of them compiled scripts.
    private static let maximum = 64 << 20
    private static let folderName = "first-start"

    private let managed: ManagedBrowser?
    private let events: Mailbox<BrowserAgent.Event>
    private let logger: Logger
    private var state: State

    /// - Parameters:
    ///   - browser: the browser that the agent configures; nil if it configures none.
    ///   - made: the profile that the agent's former start has made.
    init(
        of browser: ManagedBrowser?, made: Made?, events: Mailbox<BrowserAgent.Event>, logger: Logger
    ) {
        managed = browser?.kind == .firefox ? browser : nil
        (self.events, self.logger) = (events, logger)
        state = made.map(State.made) ?? .missing
    }

    /// The installed Firefox; nil if there is none, or if the agent does not configure it.
    private var browser: FileStamp? { managed.flatMap { FileStamp(of: $0.policyPlaces.workers.file) } }

    /// The profile, if the Firefox that has made it is still the installed one.
    var made: Made? {
        guard case .made(let made) = state, made.browser == browser else { return nil }
        return made
    }

    /// The process that makes the profile, if it runs.
    var child: ChildProcess? { if case .beingMade(let process, _) = state { process } else { nil } }

    /// The profile as an archive (tar(1)), to be read from its beginning; nil if there is none.
    var archive: Descriptor? {
        guard let made else { return nil }
        do throws(FileError) { return try made.archive.reader() } catch {
            logger.warning("no profile of Firefox is prepared", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// Starts to make the profile, if there is none.
    ///
    /// - Parameter profiles: the agent's own folder.
    func make(in profiles: Directory, with package: BrowserExtensionPackage) {
        guard let managed, let browser, made == nil, child == nil else { return }
        if case .failed = state { return }
        state = .failed
        do {
            let folder = profiles.appending(Self.folderName)
            try folder.removeTree()
            try folder.makePrivate()
            let prepared = try managed.firstStart(in: folder, package)
            let file = try MemoryFile()
            let session = BrowserEnvironment.session.filter { !["DISPLAY", "WAYLAND_DISPLAY"].contains($0.key) }
            // Without the mark of the agent's browsers: it shows no page, and ends with the agent.
            let process = try ChildProcess.spawn(
                executable: prepared.words[0], arguments: Array(prepared.words.dropFirst()),
                environment: WindowEnvironment.make(from: session),
                descriptors: [(file.descriptor, as: ManagedBrowser.archiveNumber)], output: .discarded)
            state = .beingMade(process, Made(archive: file, browser: browser))
            try BlockingThread.start { [events] in
                let status = try? process.waitForExit()
                events.post(.firefoxProfileMade(by: process.pid, status))
            }
        } catch { logger.warning("no profile of Firefox is prepared", metadata: ["error": "\(error)"]) }
    }

    /// Handles the end of a process that was to make the profile.
    func ended(_ process: Int32, _ status: ExitStatus?) {
        guard case .beingMade(let present, let made) = state, present.pid == process else { return }
        state = .failed
        do throws(FileError) {
            guard status == .exited(0) else {
                return logger.warning(
                    "no profile of Firefox is prepared", metadata: ["status": "\(status, default: "-")"])
            }
            try made.archive.seal()
            let size = try made.archive.size()
            guard size <= Self.maximum else { throw FileError(.read, errno: EFBIG, path: "the profile of Firefox") }
            state = .made(made)
            logger.info("a profile of Firefox is prepared", metadata: ["bytes": "\(size)"])
        } catch { logger.warning("no profile of Firefox is prepared", metadata: ["error": "\(error)"]) }
    }

    /// Ends the process that makes the profile: nothing may run beside the worker's browser that was started before.
    ///
    /// - Throws: ``ProcessFailure`` if it does not end.
    func interrupt() throws(ProcessFailure) {
        guard let child else { return }
        try ProcessSweep.end(child)
        interrupted()
    }

    /// Notes that the process that made the profile was ended, so that ``make(in:with:)`` tries again.
    func interrupted() { if child != nil { state = .missing } }
}
