// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import Files
internal import Glibc
internal import JSON
internal import Processes
internal import UnixSocket

/// The agent starts anew in its process after each session, because its memory holds addresses of the worker's pages.
/// The connection to the broker stays open, so the broker notices nothing.
extension BrowserAgent {
    /// What the agent passes to its new start. It says nothing about a worker.
    struct Heritage: Codable {
        let orders: [AgentOrder]
        let taken: AppDataTrash.Taken
    }

    /// Names the open files that the agent passes on: its connection and its ``Heritage``.
    private static let variable = "BATON_AGENT_HERITAGE"
    private static let maximum = 1 << 20

    /// The connection and the heritage that this process has from the agent that it was. Call it before the first thread
    /// starts.
    static func takeHeritage() -> (channel: BrokerLink.Channel, heritage: Heritage)? {
        guard let value = unsafe getenv(variable).map({ unsafe String(cString: $0) }) else { return nil }
        unsafe unsetenv(variable)
        OwnProgram.reapFormerChildren()
        let numbers = value.split(separator: ",").compactMap { Int32($0) }
        guard numbers.count == 2 else { return nil }
        let files = numbers.map(Descriptor.init(owning:))
        for file in files { _ = file.withNumber { fcntl($0, F_SETFD, FD_CLOEXEC) } }
        let limits = JSONLimits(bytes: maximum, depth: Wire.agentOrderLimits.depth)
        guard let bytes = try? MemoryFile(files[1]).content(limit: maximum),
            let heritage = try? JSONReader.read(Heritage.self, from: bytes, limits: limits)
        else { return nil }
        let connection = Connection(files[0], maximumFrame: Wire.agentOrderLimits.bytes)
        return (BrokerLink.Channel(connection, limits: Wire.agentOrderLimits), heritage)
    }

    /// Asks the link for a pause if a session is over and the agent may start anew.
    func renewSoon() {
        guard hasWorked, !isRenewing, takings == 0, channel != nil, machine.state == .idle else { return }
        // The broker restarts after an upgrade, and then the agent ends.
        guard !OwnProgram.isReplaced else { return }
        isRenewing = true
        pauses.ask()
    }

    /// Starts anew if nothing has begun since the pause was asked for. The link has read no part of an order, and nobody
    /// takes signals.
    ///
    /// - Throws: ``ProcessFailure``, ``FileError`` if the agent cannot start anew; it must end then.
    func renew() throws {
        guard isRenewing, let channel, machine.state == .idle, let taken = trash.latest, takings == 0 else {
            if isRenewing { pauses.end() }
            isRenewing = false
            return try startSignals()
        }
        let heritage = Heritage(orders: machine.ordersToRepeat, taken: taken)
        let file = try MemoryFile(holding: try JSONWriter.encode(heritage))
        let kept = [channel.connection.descriptor, file.descriptor]
        unsafe setenv(Self.variable, kept.map { $0.withNumber { String($0) } }.joined(separator: ","), 1)
        throw OwnProgram.startAnew(arguments: Array(CommandLine.arguments.dropFirst()), keeping: kept)
    }
}
