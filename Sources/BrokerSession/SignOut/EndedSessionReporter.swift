// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerProtocol
internal import Logging
package import OAuth
internal import Synchronization

/// Tells the server of the sessions that ended on this device, until it knows; needs nothing of any worker.
final class EndedSessionReporter: Sendable {
    private let session: CurrentSession
    private let network: SessionNetwork
    private let supervisor: SupervisorLink
    private let logger: Logger
    private let isReporting = Mutex(false)

    init(session: CurrentSession, network: SessionNetwork, supervisor: SupervisorLink, logger: Logger) {
        (self.session, self.network, self.supervisor, self.logger) = (session, network, supervisor, logger)
    }

    /// Begins to tell, where there is anything to tell and nobody does already.
    func start() {
        let device = session.device
        guard device.join != nil, !device.endedSessions.isEmpty else { return }
        let begins = isReporting.withLock { isReporting in
            defer { isReporting = true }
            return !isReporting
        }
        guard begins else { return }
        Task { [self] in
            var patience = Duration.seconds(1)
            while await !reportOnce() {
                do { try await Task.sleep(for: patience) } catch { return }
                patience = min(patience * 2, .seconds(60))
            }
            isReporting.withLock { $0 = false }
            // One that came after the last look.
            start()
        }
    }

    /// Tells the server of each session once; one that it refuses does not hold up the others.
    ///
    /// - Returns: whether none is left.
    private func reportOnce() async -> Bool {
        for ended in session.device.endedSessions {
            do {
                try await network.tokenSource(for: session.join()).end(ended)
                forget(ended)
            } catch let refusal as OAuthError where ended.isSettled(by: refusal) {
                logger.error("the server does not know this device", metadata: ["oauth.number": "\(refusal.number)"])
                forget(ended)
            } catch {
                logger.notice(
                    "the server does not know of an ended session yet",
                    metadata: ["error.code": "\(BrokerError(reading: error).code.rawValue)"])
            }
        }
        return session.device.endedSessions.isEmpty
    }

    private func forget(_ ended: EndedSession) {
        session.forget(ended)
        supervisor.tell(.serverSessionEnded(ended))
    }
}

extension EndedSession {
    /// Whether nothing is left to tell after that refusal. The server answers that a session has ended where it does not
    /// know it; the one final refusal is that the device itself is registered no more, with which its sessions went.
    package func isSettled(by refusal: OAuthError) -> Bool { refusal.number == OAuthError.unknownDeviceNumber }
}
