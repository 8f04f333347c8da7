// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import DeviceHTTPS
internal import DeviceKeyStore
internal import DeviceSettings
internal import Logging
internal import OAuth
internal import Processes
internal import SessionIPC

/// A worker's sign-in with the identity platform: a page in the browser, then a PRT for this device and epoch.
struct OnlineSignIn: Sendable {
    let session: CurrentSession
    let network: SessionNetwork
    let supervisor: SupervisorLink
    let files: DeviceFiles
    let disk: BlockingQueue
    let logger: Logger

    /// Authenticates the person in the browser and gets a PRT, which is sealed on disk when this returns.
    ///
    /// - Parameters:
    ///   - wanted: the app's request.
    ///   - tenant: the name of the tenant for requests to the platform.
    ///   - account: the only account that is accepted; nil for any account.
    /// - Throws: ``BrokerError``, for example if another person authenticated instead of `account`. In that case the
    ///   server has opened no session for this device.
    func prove(
        _ attempt: SignInAttempt, for wanted: TokenRequest, tenant: String, epoch: Epoch, key: MemoryKey,
        as account: AccountRecord? = nil
    ) async throws -> WorkerSession {
        let join = try session.join()
        let anonymous = try network.platformRequests(for: join)
        let source = anonymous.serving(wanted, tenant: tenant)
        let signIn = InteractiveSignIn(
            server: source.server, scopes: Scopes([Scopes.openID, Scopes.profile, Scopes.offlineAccess]),
            loginHint: wanted.username ?? account?.username, prompt: wanted.prompt,
            claims: try wanted.claimsWithCapabilities(),
            extraParameters: wanted.extraQueryParameters,
            deviceProof: PageProof(logger: logger) { [device = anonymous.device] in
                try await device.signInPageProof(epoch)
            })
        let tokens = try await attempt.inTime {
            // Only the platform knows which organisation a domain belongs to. Without this check, the page of another
            // organisation would end as if the person had closed it.
            if tenant.contains("."), try await !source.server.isTenant(join.tenantID) {
                throw AuthorityRule.otherOrganisation
            }
            return try await signIn.run(in: attempt)
        }
        if let account, tokens.homeAccountID.lowercased() != account.homeAccountID.lowercased() {
            do { try await source.giveBack(tokens.refreshToken) } catch {
                logger.notice("another worker's token was not revoked", metadata: ["error": "\(error)"])
            }
            throw BrokerError.otherWorker
        }
        let worker = try await source.session(
            refreshToken: tokens.refreshToken, epoch: epoch, environment: join.loginHost)
        guard worker.account.homeAccountID.lowercased() == tokens.homeAccountID.lowercased() else {
            throw BrokerError.answerOfAnother
        }
        Failpoint.sessionGranted.reach()
        supervisor.tell(.receiptSubject(worker.receiptSubject))
        // From here on, the server has an open session. The supervisor records it before any request is answered.
        supervisor.tell(
            .sessionKnown(EndedSession(serverSession: worker.serverSession, epoch: epoch)))
        try await disk.run { [files] in
            try SealedSession(directory: files.session).write(worker, epoch: epoch, under: key)
        }
        Failpoint.sessionSealed.reach()
        return worker
    }
}
