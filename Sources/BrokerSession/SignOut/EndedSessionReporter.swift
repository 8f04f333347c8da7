// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceHTTPS
internal import DeviceSettings
internal import Logging
package import OAuth
internal import SessionIPC
internal import Synchronization

/// Reports ended sessions of this device to the server until the server has confirmed them. The reports need no
/// credential of a worker.
final class EndedSessionReporter: Sendable {
    private let session: CurrentSession
    private let network: SessionNetwork
    private let supervisor: SupervisorLink
    private let logger: Logger
    private let isReporting = Mutex(false)

    init(session: CurrentSession, network: SessionNetwork, supervisor: SupervisorLink, logger: Logger) {
        (self.session, self.network, self.supervisor, self.logger) = (session, network, supervisor, logger)
    }

    /// Starts reporting, unless there is nothing to report or a task is already reporting.
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
            // Another session may have ended since the list was last read.
            start()
        }
    }

    /// Reports each session once. A refusal of one session does not delay the others.
    ///
    /// - Returns: whether no session is left to report.
    private func reportOnce() async -> Bool {
        for ended in session.device.endedSessions {
            do {
                try await network.platformRequests(for: session.join()).end(ended)
                forget(ended)
            } catch let refusal as OAuthError where ended.isSettled(by: refusal) {
                logger.error("the server does not know this device", metadata: ["oauth.number": "\(refusal.number)"])
                forget(ended)
            } catch {
                logger.notice(
                    "an ended session is not reported to the server yet",
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
    /// Whether the refusal means that nothing is left to report. The server also confirms the end of sessions that it
    /// does not know. The only final refusal is that the device is no longer registered: the server removed the
    /// device's sessions together with the device.
    package func isSettled(by refusal: OAuthError) -> Bool { refusal.number == OAuthError.unknownDeviceNumber }
}
