// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import BrowserWindows
internal import Glibc
internal import JSON
internal import Processes
internal import UnixSocket

/// The agent starts anew in its process after each session, because its memory holds addresses of the worker's pages.
///
/// Its connection to the broker stays open, so the broker notices nothing: an order that arrives meanwhile waits in the
/// socket. If the new start fails, the connection ends with the process.
extension BrowserAgent {
    /// What the agent knows apart from sessions. It says nothing about a worker.
    struct Knowledge: Codable {
        let orders: [AgentOrder]
        let taken: AppDataTrash.Taken
        let policies: [ExaminedPolicies]
        /// The Firefox that has made the profile which is passed on, if any.
        let firefox: FileStamp?

        static let maximum = 2 << 20
        private static let limits = JSONLimits(
            bytes: maximum, depth: Wire.agentOrderLimits.depth + 2, values: 2 * Wire.agentOrderLimits.values)

        init(
            orders: [AgentOrder], taken: AppDataTrash.Taken, policies: [ExaminedPolicies], firefox: FileStamp?
        ) {
            (self.orders, self.taken, self.policies, self.firefox) = (orders, taken, policies, firefox)
        }

        init(json: [UInt8]) throws { self = try JSONReader.read(Self.self, from: json, limits: Self.limits) }
    }

    /// What this process has from its former start.
    struct Former: Sendable {
        /// The files that are passed on.
        enum File: String { case broker, lock, knowledge, firefox }

        let channel: BrokerLink.Channel
        /// The lock of the folder of profiles.
        let lock: Descriptor
        let knowledge: Knowledge
        /// The profile that was made for Firefox, if any.
        let firefox: FirefoxProfile.Made?

        /// - Returns: nil if this process has not started anew, or if something is missing or malformed. Then the
        ///   connection has ended, and the agent begins as after a crash.
        static func take() -> Former? {
            guard let heritage = Heritage<File>.take(), let broker = heritage[.broker], let lock = heritage[.lock],
                let content = heritage.content(of: .knowledge, limit: Knowledge.maximum),
                let knowledge = try? Knowledge(json: content)
            else { return nil }
            let channel = BrokerLink.Channel(broker, limits: Wire.agentOrderLimits)
            let profile = knowledge.firefox.flatMap { browser in
                heritage.memoryFile(.firefox).map { FirefoxProfile.Made(archive: $0, browser: browser) }
            }
            return Former(channel: channel, lock: lock, knowledge: knowledge, firefox: profile)
        }
    }

    /// Asks the link for a pause if a session is over and the agent may start anew.
    func renewSoon() {
        guard mustRenew, !isRenewing, isAtRest else { return }
        // The broker restarts after an upgrade, and then the agent ends.
        guard !OwnProgram.isReplaced else { return }
        isRenewing = true
        pauses.ask()
    }

    /// Whether nothing is half done.
    private var isAtRest: Bool { channel != nil && machine.state == .idle && takings == 0 }

    /// Starts anew, unless something has begun since the pause was asked for. The link has read no part of an order, and
    /// nobody takes signals: those that arrive wait for the new start.
    ///
    /// - Throws: ``ProcessFailure``, ``FileError`` if the agent cannot start anew. It must end then.
    func renew() throws {
        guard isRenewing, isAtRest, let channel, let lock, let taken = trash.latest else {
            if isRenewing { pauses.end() }
            isRenewing = false
            return try startSignals()
        }
        try windows.firefox.interrupt()
        let profile = windows.firefox.made
        let knowledge = Knowledge(
            orders: machine.ordersToRepeat, taken: taken, policies: windows.policies.known, firefox: profile?.browser)
        let file = try MemoryFile(holding: try JSONWriter.encode(knowledge))
        var files: [Former.File: Descriptor] = [
            .broker: channel.connection.descriptor, .lock: lock, .knowledge: file.descriptor,
        ]
        files[.firefox] = profile?.archive.descriptor
        Failpoint.agentRenewing.reach()
        throw OwnProgram.startAnew(passing: files)
    }
}
