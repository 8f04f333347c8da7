// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerIPC
internal import BrokerProtocol
internal import Logging
internal import OAuth

/// A worker's sign-in with the identity platform: a page in the browser, then a PRT for this device and epoch.
struct OnlineSignIn: Sendable {
    let session: CurrentSession
    let network: SessionNetwork
    let supervisor: SupervisorLink
    let files: DeviceFiles
    let disk: BlockingQueue
    let logger: Logger

    /// The person proves who they are; the server gives a PRT, which is sealed on disk when this returns.
    ///
    /// - Parameters:
    ///   - wanted: the app's request, of whose tenant the platform is asked under this name.
    ///   - account: whose proof alone is taken; nil for anybody's.
    /// - Throws: ``BrokerError``, also where somebody else proved who they are: then the server has opened no session here.
    func prove(
        _ attempt: SignInAttempt, for wanted: TokenRequest, tenant: String, epoch: Epoch, key: MemoryKey,
        as account: AccountRecord? = nil
    ) async throws -> WorkerSession {
        let join = try session.join()
        let anonymous = try network.tokenSource(for: join)
        let source = anonymous.serving(wanted, tenant: tenant)
        let signIn = InteractiveSignIn(
            server: source.server, scopes: Scopes([Scopes.openID, Scopes.profile, Scopes.offlineAccess]),
            loginHint: wanted.username ?? account?.username, prompt: wanted.prompt,
            claims: try wanted.claimsWithCapabilities(),
            extraParameters: wanted.extraQueryParameters,
            deviceProof: PageProof(logger: logger) { [device = anonymous.device] in
                try await device.signInPageProof(epoch)
            })
        let tokens = try await attempt.inTime { try await signIn.run(in: attempt) }
        if let account, tokens.homeAccountID.lowercased() != account.homeAccountID.lowercased() {
            do { try await source.giveBack(tokens.refreshToken) } catch {
                logger.notice("another worker's token was not given back", metadata: ["error": "\(error)"])
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
        // From here the server holds a session: that is written down before anything can be answered.
        supervisor.tell(
            .sessionKnown(EndedSession(serverSession: worker.serverSession, epoch: epoch)))
        try await disk.run { [files] in
            try SealedSession(directory: files.session).write(worker, epoch: epoch, under: key)
        }
        Failpoint.sessionSealed.reach()
        return worker
    }
}
