// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import BrowserPolicies
internal import DeviceSettings
internal import Logging

/// Owns the connection to the agent of the worker's graphical session.
final class ConnectedAgent {
    /// The connection; nil if no agent is connected.
    private(set) var link: AgentLink?
    /// Whether an agent has reported input by the person since the supervisor started.
    private(set) var hasReceivedInput = false
    /// Why windows cannot open, according to the agent; nil if the agent has reported no obstacle, or has opened a
    /// window since its last such report.
    private(set) var obstacleToWindows: WindowObstacle?
    /// The number of folders that the agent took away from apps but cannot remove.
    private(set) var foldersLeft = 0
    /// The agent that was refused last, and when.
    private var refused: (user: UInt32, text: String, at: ContinuousClock.Instant)?
    private let device: ConfiguredDevice
    private let join: JoinFlow
    private let clock: SupervisorClock
    private let logger: Logger

    init(device: ConfiguredDevice, join: JoinFlow, clock: SupervisorClock, logger: Logger) {
        (self.device, self.join, self.clock, self.logger) = (device, join, clock, logger)
    }

    // MARK: - The connection

    func accept(_ new: AgentLink) {
        refused = nil
        (link, obstacleToWindows, foldersLeft) = (new, nil, 0)
        logger.info("agent connected")
    }

    /// Ends the connection of an agent that may not serve now.
    func refuse(_ other: AgentLink) {
        // A refused agent keeps retrying, so log the refusal only once.
        if refused?.user != other.user {
            logger.notice(
                "an agent is refused: another is connected, or the browser belongs to another user",
                metadata: ["peer.uid": "\(other.user)", "peer.pid": "\(other.pid ?? 0)"])
        }
        refused = (other.user, other.text, clock.moment())
        other.end()
    }

    func forget() { link = nil }

    /// Sends the agent the browser's settings and the directory's address. It does so even while the device is joining,
    /// because the join's page must be able to open.
    func configure() {
        let signIn = join.loginURL.flatMap { try? WebAddress($0) }.map(WebOrigin.init)
        link?.configure(device.management.settings.browser, signIn: signIn)
    }

    // MARK: - Reports

    func reportedInput() { hasReceivedInput = true }

    func cannotOpen(_ obstacle: WindowObstacle?) { obstacleToWindows = obstacle }

    func left(folders: Int) { foldersLeft = folders }

    /// Records that a window was opened.
    func opened(isPage: Bool) {
        if obstacleToWindows?.preventsSignIn != false || isPage { obstacleToWindows = nil }
    }

    /// Records that a window did not open.
    func failed(_ obstacle: WindowObstacle?) {
        if obstacleToWindows?.preventsSignIn != true { obstacleToWindows = obstacle ?? obstacleToWindows }
    }

    /// The agent that was refused last; nil if no agent was refused within the last ten seconds. A refused agent
    /// retries each second.
    var refusedAgent: String? {
        guard let refused, refused.at.duration(to: clock.moment()) < .seconds(10) else { return nil }
        return refused.text
    }
}
