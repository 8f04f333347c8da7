// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
internal import BrokerProtocol
internal import BrowserPolicies
package import Logging
package import UnixSocket

/// The user whose agent opened the browser of an epoch. Only that user's agent may report the browser closed.
package struct BrowserHolder: Sendable, Codable, Equatable {
    let epoch: Epoch
    let user: UInt32
}

/// A page that the agent opens.
enum BrowserPage {
    /// A page of the session process, for a sign-in or a PIN, with the identity platform's pages to which that page
    /// leads.
    case signIn(String, [String])
    /// A page for the signed-in worker, with the order's id. A nil address means the home page.
    case worker(WebAddress?, id: UInt64)
}

/// The supervisor's end of the connection to a session's agent.
package struct AgentLink: Sendable {
    /// Identifies one connection.
    package typealias ID = UInt64

    package let id: ID
    /// The user that the agent runs as, according to the kernel.
    let user: UInt32
    /// The process at the other end, according to the kernel; nil if both ends are in one process.
    let process: PeerProcess?
    let channel: FramedJSON<AgentMessage, AgentOrder>
    let logger: Logger
    /// The configuration of browsers that was last sent to the agent. Until a configuration is sent, the agent uses the
    /// standard configuration.
    private var configuration = BrowserConfiguration.standard
    /// The origin of the identity platform's pages that was last sent to the agent.
    private var signIn: WebOrigin?

    /// - Parameters:
    ///   - user: the user that the agent runs as, according to the kernel.
    ///   - process: the process at the other end; nil if both ends are in one process.
    ///   - channel: the channel to an agent that has sent its hello.
    package init(
        id: ID, user: UInt32, process: PeerProcess? = nil, channel: FramedJSON<AgentMessage, AgentOrder>,
        logger: Logger
    ) {
        self.id = id
        self.user = user
        self.process = process
        self.channel = channel
        self.logger = logger
    }

    var pid: Int32? { process?.pid }
    /// Whether the agent's process has ended, even if another process still holds its connection.
    var hasEnded: Bool { process?.hasEnded ?? false }
    /// The agent's process and user, for messages to operators.
    var text: String { "\(pid.map { "process \($0) of " } ?? "")user \(user)" }

    /// Sends the agent the configuration of browsers and the origin of the identity platform's pages. If one of the two
    /// has not changed since it was last sent, it is not sent again.
    mutating func configure(_ wanted: BrowserConfiguration, signIn wantedSignIn: WebOrigin?) {
        if let wantedSignIn, wantedSignIn != signIn {
            signIn = wantedSignIn
            send(.signIn(wantedSignIn))
        }
        guard wanted != configuration else { return }
        configuration = wanted
        send(.configure(wanted))
    }

    func open(_ epoch: Epoch, _ page: BrowserPage) {
        switch page {
        case .signIn(let url, let pages): send(.open(id: epoch.counter, epoch: epoch.id, url: url, pages: pages))
        case .worker(let address, let id): send(.browse(id: id, epoch: epoch.id, address: address))
        }
    }

    func confine(_ epoch: Epoch, storage: String) { send(.confine(epoch: epoch.id, storage: storage)) }
    func proceed(_ process: Int32, isConfined: Bool) { send(.proceed(process: process, isConfined: isConfined)) }
    func endSignIn(_ epoch: Epoch) { send(.endSignIn(epoch: epoch.id)) }
    func examine(_ epoch: Epoch) { send(.examine(epoch: epoch.id)) }
    func close(_ epoch: Epoch) { send(.close(epoch: epoch.id)) }

    func take(_ data: [AppData], of epoch: Epoch, until deadline: Duration) {
        send(.clearData(epoch: epoch.id, apps: data, until: Int(deadline / .milliseconds(1))))
    }

    func end() { channel.connection.shutDown() }

    /// Sends an order to the agent. If that fails, ends the connection; the thread that reads from the connection then
    /// reports the loss.
    private func send(_ order: AgentOrder) {
        do { try channel.send(order) } catch {
            logger.debug("the agent cannot be reached", metadata: ["error": "\(error)"])
            // The agent may have received a part of the order. In that case it could not parse anything that follows.
            end()
        }
    }
}
