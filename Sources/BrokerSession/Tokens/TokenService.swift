// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceSettings
internal import Glibc
internal import OAuth
internal import Processes
internal import Redaction
internal import SessionIPC
internal import Synchronization

/// Gets tokens for apps without showing a page: from the cache, or with the worker's PRT.
final class TokenService: Sendable {
    private struct State {
        var cache = TokenCache()
        var life = TokenLife()
    }

    private let session: CurrentSession
    private let access: AppAccess
    private let network: SessionNetwork
    private let supervisor: SupervisorLink
    private let changes: AccountChangeTracker
    private let state = Mutex(State())

    init(
        session: CurrentSession, access: AppAccess, network: SessionNetwork, supervisor: SupervisorLink,
        changes: AccountChangeTracker
    ) {
        (self.session, self.access, self.network, self.supervisor) = (session, access, network, supervisor)
        self.changes = changes
    }

    // MARK: - Tokens of the worker

    /// Answers an app's silent request with a token of the signed-in worker.
    func silentToken(_ call: AppRequest) throws(BrokerError) -> AppAnswer {
        let wanted = try TokenRequest(call.parameters)
        try wanted.checkAccount()
        let app = try access.check(wanted.client, redirectURI: wanted.redirectURI, in: call)
        let tenant = try AuthorityRule(join: session.join()).tenant(of: wanted.authority)
        guard changes.removedAccount(client: app.clientID) == nil else {
            throw BrokerError(.interactionRequired, because: .accountRemoved)
        }
        guard case .online(let worker) = try worker(for: wanted) else {
            return .later { [self] in throw await refusalOffline() }
        }
        if let token = state.withLock({ $0.cache.token(for: wanted, tenant: tenant, now: now()) }) {
            return .now(AppResponse(token))
        }
        return .later { [self] in AppResponse(try await token(for: wanted, tenant: tenant, of: worker)) }
    }

    /// Gets a token from the identity platform. The supervisor records the token's lifetime before the app gets it.
    ///
    /// - Throws: ``OAuthError``, ``BrokerError``, ``HTTPSError``, or an error in the reply.
    func token(for wanted: TokenRequest, tenant: String, of worker: WorkerSession) async throws -> TokenResponse {
        let source = try network.platformRequests(for: session.join()).serving(wanted, tenant: tenant)
        let token = try await token(for: wanted, of: worker, from: source)
        if let noted = state.withLock({ $0.life.wait(until: token.expiresOn) }) {
            try supervisor.send(.tokenWanted(until: token.expiresOn))
            try await noted.value()
        }
        state.withLock { $0.cache.keep(token, for: wanted, tenant: tenant, now: now()) }
        return token
    }

    /// Gets a token, and repeats the request once if the PRT was renewed before the answer arrived.
    private func token(
        for wanted: TokenRequest, of worker: WorkerSession, from source: PlatformRequests
    ) async throws -> TokenResponse {
        do {
            return try await source.token(for: wanted, of: worker)
        } catch let refusal as OAuthError where refusal.suberror == Suberror.badToken {
            guard let present = session.worker?.session, present.serverSession == worker.serverSession,
                present.token.exposed != worker.token.exposed
            else { throw refusal }
            return try await source.token(for: wanted, of: present)
        }
    }

    /// The worker that a silent request refers to.
    private func worker(for wanted: TokenRequest) throws(BrokerError) -> SignedInUser {
        guard let worker = session.worker else {
            throw BrokerError(
                .interactionRequired, "Nobody is signed in on this device. Sign in interactively.", reason: .nobody)
        }
        guard wanted.means(worker.account) else {
            throw BrokerError(
                .interactionRequired, "The account is not the one signed in on this device. Ask for the current one.",
                reason: .otherAccount)
        }
        return worker
    }

    /// Why a worker who signed in offline gets no token: the server cannot be reached, or the worker must authenticate
    /// with it.
    func refusalOffline() async -> BrokerError {
        do {
            return try await network.reachability.leads(to: session.join().loginURL) ? .backOnline : .signedInOffline
        } catch let error as BrokerError { return error } catch { return .signedInOffline }
    }

    /// Drops the cached tokens of one client.
    func drop(client clientID: String) { state.withLock { $0.cache.drop(client: clientID) } }

    /// Handles the supervisor's confirmation that the receipt will state this token's expiry or a later time.
    func tokenNoted(until time: Int) {
        for promise in state.withLock({ $0.life.note(until: time) }) { promise.settle(.success(())) }
    }

    // MARK: - Tokens of the device

    /// Answers with a token of the device itself, whether or not a worker is signed in.
    func deviceToken(_ call: AppRequest) throws(BrokerError) -> AppAnswer {
        let wanted = try DeviceTokenRequest(call.parameters)
        try access.check(wanted.client, redirectURI: wanted.redirectURI, in: call)
        return .later { [self] in
            let token = try await network.platformRequests(for: session.join()).deviceToken(for: wanted)
            return AppResponse(type: .deviceToken, entries: token.entries)
        }
    }

    private func now() -> Int { Int(Glibc.time(nil)) }
}

extension AppResponse {
    init(_ token: TokenResponse) { self.init(type: .token, entries: token.entries) }
}

/// The latest expiry that the supervisor has recorded for this session's tokens. The receipt must not state an earlier
/// time.
private struct TokenLife {
    /// Tokens that expire no later than this need not be reported.
    private var noted = 0
    private var waiting: [(until: Int, promise: Promise<Void>)] = []

    /// Returns the promise to wait for before an app gets a token that expires at `time`; nil if none is needed.
    mutating func wait(until time: Int) -> Promise<Void>? {
        guard time > noted else { return nil }
        let promise = Promise<Void>()
        waiting.append((time, promise))
        return promise
    }

    /// Handles the supervisor's confirmation that it has recorded a token that expires at `time`, and returns the
    /// promises to settle.
    mutating func note(until time: Int) -> [Promise<Void>] {
        noted = max(noted, time)
        let done = waiting.filter { $0.until <= noted }.map(\.promise)
        waiting.removeAll { $0.until <= noted }
        return done
    }
}
