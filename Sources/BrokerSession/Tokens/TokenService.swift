// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerProtocol
internal import Glibc
internal import OAuth
internal import Redaction
internal import Synchronization

/// Gets apps their tokens without a person: from the cache, or through the worker's PRT.
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

    // MARK: - An app's token

    /// A token of the worker who is signed in, for an app that asks without a person.
    func silentToken(_ call: AppRequest) throws(BrokerError) -> AppAnswer {
        let wanted = try TokenRequest(call.parameters)
        let app = try access.check(wanted.client, redirectURI: wanted.redirectURI, in: call)
        let tenant = try AuthorityRule(join: session.join()).tenant(of: wanted.authority)
        guard changes.removedAccount(client: app.clientID) == nil else {
            throw BrokerError(
                .interactionRequired, "The app has removed the account. Sign in interactively.", reason: .accountRemoved
            )
        }
        guard case .online(let worker) = try worker(for: wanted) else {
            return .later { [self] in throw await refusalOffline() }
        }
        if let token = state.withLock({ $0.cache.token(for: wanted, tenant: tenant, now: now()) }) {
            return .now(AppResponse(token))
        }
        return .later { [self] in AppResponse(try await token(for: wanted, tenant: tenant, of: worker)) }
    }

    /// Gets a token from the identity platform; the supervisor knows how long it lives before the app has it.
    ///
    /// - Throws: ``OAuthError``, ``BrokerError``, ``HTTPSError``, what the reply's reading throws.
    func token(for wanted: TokenRequest, tenant: String, of worker: WorkerSession) async throws -> TokenResponse {
        let source = try network.tokenSource(for: session.join()).serving(wanted, tenant: tenant)
        let token = try await token(for: wanted, of: worker, from: source)
        if let noted = state.withLock({ $0.life.wait(until: token.expiresOn) }) {
            try supervisor.send(.tokenWanted(until: token.expiresOn))
            try await noted.value()
        }
        state.withLock { $0.cache.keep(token, for: wanted, tenant: tenant, now: now()) }
        return token
    }

    /// Asks once more where the PRT was renewed while the request was on its way.
    private func token(
        for wanted: TokenRequest, of worker: WorkerSession, from source: TokenSource
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

    /// The worker whom a silent request means.
    private func worker(for wanted: TokenRequest) throws(BrokerError) -> SignedInUser {
        guard let worker = session.worker else {
            throw BrokerError(
                .interactionRequired, "Nobody is signed in on this device. Sign in interactively.", reason: .nobody)
        }
        guard wanted.means(worker.account), wanted.homeAccountID != nil || wanted.username != nil else {
            throw BrokerError(
                .interactionRequired, "The account is not the one signed in on this device. Ask for the current one.",
                reason: .otherAccount)
        }
        return worker
    }

    /// Why a worker who signed in offline has no token: the server is away, or waits for them.
    func refusalOffline() async -> BrokerError {
        do {
            return try await network.reachability.leads(to: session.join().loginURL) ? .backOnline : .signedInOffline
        } catch let error as BrokerError { return error } catch { return .signedInOffline }
    }

    /// Drops the tokens that one client was given.
    func drop(client clientID: String) { state.withLock { $0.cache.drop(client: clientID) } }

    /// The receipt will not say less than the life of this token.
    func tokenNoted(until time: Int) {
        for promise in state.withLock({ $0.life.note(until: time) }) { promise.settle(.success(())) }
    }

    // MARK: - The device's token

    /// A token of the device itself, whether somebody is signed in or not.
    func deviceToken(_ call: AppRequest) throws(BrokerError) -> AppAnswer {
        let wanted = try BrokerProtocol::DeviceTokenRequest(call.parameters)
        try access.check(wanted.client, redirectURI: wanted.redirectURI, in: call)
        return .later { [self] in
            let token = try await network.tokenSource(for: session.join()).deviceToken(for: wanted)
            return AppResponse(type: .deviceToken, entries: token.entries)
        }
    }

    private func now() -> Int { Int(Glibc.time(nil)) }
}

extension AppResponse {
    init(_ token: TokenResponse) { self.init(type: .token, entries: token.entries) }
}

/// How long the tokens live that apps were given in this session, as the supervisor knows it: the receipt must not say less.
private struct TokenLife {
    /// No token that lives longer has to be told of.
    private var noted = 0
    private var waiting: [(until: Int, promise: Promise<Void>)] = []

    /// What has to be waited for before a token that lives until `time` is given; nil where nothing has.
    mutating func wait(until time: Int) -> Promise<Void>? {
        guard time > noted else { return nil }
        let promise = Promise<Void>()
        waiting.append((time, promise))
        return promise
    }

    /// The supervisor knows of a token that lives until `time`; gives whom to tell.
    mutating func note(until time: Int) -> [Promise<Void>] {
        noted = max(noted, time)
        let done = waiting.filter { $0.until <= noted }.map(\.promise)
        waiting.removeAll { $0.until <= noted }
        return done
    }
}
