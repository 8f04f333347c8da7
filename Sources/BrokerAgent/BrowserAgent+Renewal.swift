// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import BrowserExtension
internal import BrowserWindows
internal import Glibc
internal import JSON
internal import Logging
internal import Processes
internal import UnixSocket

/// The agent starts anew in its process after each session, because its memory holds addresses of the worker's pages.
///
/// Its connection to the broker stays open, so the broker notices nothing: an order that arrives meanwhile waits in the
/// socket. If the new start fails, the connection ends with the process.
extension BrowserAgent {
    /// The agent's knowledge, except of sessions. It contains nothing about a worker.
    struct Knowledge: Codable {
        let orders: [AgentOrder]
        let taken: AppDataTrash.Taken
        let foldersLeft: Int
        let policies: [ExaminedPolicies]
        /// Identifies the Firefox that made the profile to pass on; nil if no profile is passed on.
        let firefox: FileStamp?

        static let maximum = 2 << 20
        private static let limits = JSONLimits(
            bytes: maximum, depth: Wire.agentOrderLimits.depth + 2, values: 2 * Wire.agentOrderLimits.values)

        init(
            orders: [AgentOrder], taken: AppDataTrash.Taken, foldersLeft: Int, policies: [ExaminedPolicies],
            firefox: FileStamp?
        ) {
            (self.orders, self.taken, self.foldersLeft) = (orders, taken, foldersLeft)
            (self.policies, self.firefox) = (policies, firefox)
        }

        init(json: [UInt8]) throws { self = try JSONReader.read(Self.self, from: json, limits: Self.limits) }
    }

    /// The open files that this process has kept from its former start.
    package struct Files: Sendable {
        fileprivate let heritage: Heritage<Former.File>

        /// Takes the files over. Call it once, before the process starts a child.
        ///
        /// - Returns: nil if this process has not started anew.
        package static func take() -> Files? { Heritage.take().map(Files.init) }

        /// The configuration of the former start, which this start keeps: the lock and the connection belong to that
        /// configuration, and the configuration file may be half edited.
        package var configuration: [UInt8]? {
            heritage.content(of: .configuration, limit: AgentConfiguration.maximum)
        }
    }

    /// What this process has kept from its former start.
    struct Former: Sendable {
        enum File: String { case broker, lock, configuration, knowledge, firefox, package, ready }

        let channel: BrokerLink.Channel
        /// The lock of the folder of profiles.
        let lock: Descriptor
        let knowledge: Knowledge
        /// The packed extension of the browser, and the socket for reports that the extension is ready.
        let packed: (package: BrowserExtensionPackage, ready: Descriptor)?
        /// The profile that Firefox has made.
        let firefox: FirefoxProfile.Made?

        private static let packageLimits = JSONLimits(bytes: 8 << 20, depth: 8, values: 1 << 20)

        /// - Returns: nil if this process has not started anew, or if something is missing or malformed. In the second
        ///   case the connection has ended, and the agent begins as after a crash.
        static func read(_ files: Files?, _ logger: Logger) -> Former? {
            guard let heritage = files?.heritage else { return nil }
            guard files?.configuration != nil, let broker = heritage[.broker], let lock = heritage[.lock],
                let content = heritage.content(of: .knowledge, limit: Knowledge.maximum),
                let knowledge = try? Knowledge(json: content)
            else {
                logger.error("what the agent's former start has passed on cannot be read")
                return nil
            }
            let channel = BrokerLink.Channel(broker, limits: Wire.agentOrderLimits)
            let firefox = knowledge.firefox.flatMap { browser in
                heritage.memoryFile(.firefox).map { FirefoxProfile.Made(archive: $0, browser: browser) }
            }
            let package = heritage.content(of: .package, limit: packageLimits.bytes).flatMap {
                try? JSONReader.read(BrowserExtensionPackage.self, from: $0, limits: packageLimits)
            }
            let packed = package.flatMap { package in heritage[.ready].map { (package: package, ready: $0) } }
            return Former(channel: channel, lock: lock, knowledge: knowledge, packed: packed, firefox: firefox)
        }
    }

    /// Asks the link for a pause if a session is over and the agent may start anew.
    func renewSoon() {
        guard mustRenew, !isRenewing, isAtRest else { return }
        // After an upgrade the broker restarts, and the agent ends instead of starting anew.
        guard !OwnProgram.isReplaced else { return }
        isRenewing = true
        pauses.ask()
    }

    /// Whether no work of the agent is half done.
    private var isAtRest: Bool { channel != nil && machine.state == .idle && takings == 0 }

    /// Starts anew, unless something has begun since the pause was asked for. By now, the link has stopped between two
    /// orders and no thread takes signals, so signals that arrive wait for the new start.
    ///
    /// - Throws: ``ProcessFailure``, ``FileError`` if the agent cannot start anew. The agent must then end.
    func renew() throws {
        // Another program of this user may have sent the signal.
        guard isPaused, isRenewing, isAtRest, let channel, let lock, let taken = trash.latest else {
            if isPaused { (isPaused, isRenewing) = (false, false); pauses.end() }
            return try startSignals()
        }
        try windows.firefox.interrupt()
        let firefox = windows.firefox.made
        let knowledge = Knowledge(
            orders: machine.ordersToRepeat, taken: taken, foldersLeft: foldersLeft, policies: windows.policies.known,
            firefox: firefox?.browser)
        let file = try MemoryFile(holding: try JSONWriter.encode(knowledge))
        let settings = try MemoryFile(holding: configuration.json)
        var files: [Former.File: Descriptor] = [
            .broker: channel.connection.descriptor, .lock: lock, .configuration: settings.descriptor,
            .knowledge: file.descriptor,
        ]
        files[.firefox] = firefox?.archive.descriptor
        let package = try windows.unchangedPackage().map { try MemoryFile(holding: JSONWriter.encode($0)) }
        files[.package] = package?.descriptor
        files[.ready] = windows.readySocket?.descriptor
        Failpoint.agentRenewing.reach()
        throw OwnProgram.startAnew(passing: files)
    }
}
