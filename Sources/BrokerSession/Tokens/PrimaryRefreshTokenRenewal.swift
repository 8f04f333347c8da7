// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import DeviceHTTPS
internal import DeviceKeyStore
internal import DeviceSettings
internal import Glibc
internal import Logging
internal import OAuth
internal import Processes

/// Renews the worker's PRT for the lifetime of this process, and thus of the session.
struct PrimaryRefreshTokenRenewal: Sendable {
    let session: CurrentSession
    let network: SessionNetwork
    let files: DeviceFiles
    let disk: BlockingQueue
    let logger: Logger

    private enum Outcome { case done, unanswered, refused }

    /// Whether to renew at once: a test has armed a failpoint of the renewal.
    private static let renewsAtOnce = Failpoint.renewalGranted.isArmed || Failpoint.renewalSealed.isArmed

    /// Renews the PRT whenever it is due.
    ///
    /// If the server's answer does not arrive, the request is repeated soon, because the server repeats a lost answer
    /// for only an hour.
    func start(under key: MemoryKey) {
        Task {
            var patience = 5
            while let worker = session.worker?.session {
                var pause = Self.renewsAtOnce ? 0 : worker.renewal.pause(at: Int(Glibc.time(nil)))
                if pause == 0 {
                    switch await renew(worker, under: key) {
                    case .done: patience = 5
                    case .refused: return
                    case .unanswered:
                        pause = patience
                        patience = min(patience * 2, 600)
                    }
                }
                do { try await Task.sleep(for: .seconds(pause)) } catch { return }
            }
        }
    }

    private func renew(_ worker: WorkerSession, under key: MemoryKey) async -> Outcome {
        do {
            let renewed = try await network.platformRequests(for: session.join()).renewed(worker)
            Failpoint.renewalGranted.reach()
            let epoch = session.replace(with: renewed)
            // The old token is no longer valid; the new token must be on disk in case this process is restarted.
            try await disk.run { [files] in
                try SealedSession(directory: files.session).write(renewed, epoch: epoch, under: key)
            }
            Failpoint.renewalSealed.reach()
            logger.info("the worker's primary refresh token was renewed")
            return .done
        } catch let refusal as OAuthError where refusal.code != .temporarilyUnavailable && refusal.code != .serverError
        {
            logger.notice(
                "the identity platform does not renew the session", metadata: ["oauth.number": "\(refusal.number)"])
            return .refused
        } catch {
            logger.notice(
                "the session is not renewed yet",
                metadata: ["error.code": "\(BrokerError(reading: error).code.rawValue)"])
            return .unanswered
        }
    }
}
