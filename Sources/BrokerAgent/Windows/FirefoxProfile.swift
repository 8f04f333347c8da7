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
    private enum State {
        /// Not made yet, or interrupted.
        case missing
        /// Firefox runs, and writes to the file in the end.
        case beingMade(ChildProcess, MemoryFile)
        case made(MemoryFile)
        /// Firefox did not start. It is not tried again.
        case failed
    }

    /// The most bytes of a profile; it usually has thirty million, most of them compiled scripts.
    private static let maximum = 64 << 20
    private static let folderName = "first-start"

    private let managed: ManagedBrowser?
    private let events: Mailbox<BrowserAgent.Event>
    private let logger: Logger
    private var state = State.missing

    /// - Parameter browser: the browser that the agent configures; nil if it configures none.
    init(of browser: ManagedBrowser?, events: Mailbox<BrowserAgent.Event>, logger: Logger) {
        managed = browser?.kind == .firefox ? browser : nil
        (self.events, self.logger) = (events, logger)
    }

    /// The process that makes the profile, if it runs.
    var child: ChildProcess? { if case .beingMade(let process, _) = state { process } else { nil } }

    /// The profile as an archive (tar(1)), to be read from its beginning; nil if there is none.
    var archive: Descriptor? {
        guard case .made(let file) = state else { return nil }
        do throws(FileError) { return try file.reader() } catch {
            logger.warning("no profile of Firefox is prepared", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// Starts to make the profile, if there is none.
    ///
    /// - Parameter profiles: the agent's own folder.
    func make(in profiles: Directory, with package: BrowserExtensionPackage) {
        guard let managed, case .missing = state else { return }
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
            state = .beingMade(process, file)
            try BlockingThread.start { [events] in
                let status = try? process.waitForExit()
                events.post(.firefoxProfileMade(by: process.pid, status))
            }
        } catch { logger.warning("no profile of Firefox is prepared", metadata: ["error": "\(error)"]) }
    }

    /// Handles the end of a process that was to make the profile.
    func ended(_ process: Int32, _ status: ExitStatus?) {
        guard case .beingMade(let present, let file) = state, present.pid == process else { return }
        state = .failed
        do throws(FileError) {
            guard status == .exited(0) else {
                return logger.warning("no profile of Firefox is prepared", metadata: ["status": "\(status, default: "-")"])
            }
            try file.seal()
            let size = try file.size()
            guard size <= Self.maximum else { throw FileError(.read, errno: EFBIG, path: "the profile of Firefox") }
            state = .made(file)
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
