// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import Logging
internal import OAuth
internal import Redaction
internal import Synchronization

extension AccountDesk {
    /// Renews the worker's PRT time and again for as long as this process, and so the session, lives.
    ///
    /// Where the server does not answer, it is asked again soon: what it gave meanwhile it gives again for an hour.
    func keepRenewing(under key: MemoryKey) {
        Task { [self] in
            var patience = 5
            while let worker = state.withLock({ $0.worker?.session }) {
                var pause = Self.renewsAtOnce ? 0 : worker.renewal.pause(at: now())
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

    /// A program that is to die at a renewal has one now.
    private static let renewsAtOnce = Failpoint.renewalGranted.isArmed || Failpoint.renewalSealed.isArmed

    private enum Renewal { case done, unanswered, refused }

    private func renew(_ worker: WorkerSession, under key: MemoryKey) async -> Renewal {
        do {
            let renewed = try await tokenSource().renewed(worker)
            Failpoint.renewalGranted.reach()
            let epoch = state.withLock { state in
                state.worker = .online(renewed)
                return state.epoch
            }
            // The old token opens nothing any more: the new one has to be there when this process is started again.
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

    /// An app's token through the worker's PRT, once more where that was renewed while the request was on its way.
    func freshToken(
        for wanted: TokenRequest, of worker: WorkerSession, from source: TokenSource
    ) async throws -> TokenResponse {
        do {
            return try await source.token(for: wanted, of: worker)
        } catch let refusal as OAuthError where refusal.suberror == Suberror.badToken {
            let present = state.withLock { $0.worker?.session }
            guard let present, present.serverSession == worker.serverSession,
                present.token.exposed != worker.token.exposed
            else { throw refusal }
            return try await source.token(for: wanted, of: present)
        }
    }
}
