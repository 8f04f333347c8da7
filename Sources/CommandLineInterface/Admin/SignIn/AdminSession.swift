// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Redaction

/// Who administers a server over HTTPS, and the tokens for it.
package actor AdminSession {
    /// Who administers.
    package enum Identity: Sendable {
        /// A person. Without a way to sign in, only a sign-in that is kept is used.
        case person(PersonSignIn?)
        case application(ApplicationSignIn)
    }

    /// Where the sign-in of a person is kept.
    package enum Keeping: Sendable {
        case keyring
        case file(String)
    }

    nonisolated let administration: ServerURL
    nonisolated let web: WebClient
    private let identity: Identity
    private let tenant: String?
    private let options: [String]
    private let now: @Sendable () -> Int
    private let keeping: Keeping
    private var store: (any SignInStore)?
    /// The state of the keyring if it cannot be used, so that the sign-in is not kept.
    private var keyringState: Keyring.State?
    private let warn: @Sendable (String) -> Void
    private var warnings: [String] = []
    /// The person for whom this process has sent requests.
    private var person: SignedInPerson?
    /// The token that this process uses, with its end.
    private var held: (token: Sensitive<String>, expiresAt: Int)?

    /// - Parameters:
    ///   - tenant: the tenant's id or domain; nil leaves the choice to the server.
    ///   - options: the options, except `--url` and `--tenant`, of a command that uses the same sign-in.
    ///   - now: returns the current time, in seconds since 1970.
    ///   - warn: told what went wrong without being fatal.
    package init(
        at administration: ServerURL, through web: WebClient, as identity: Identity, tenant: String?,
        keeping: Keeping, options: [String] = [], now: @escaping @Sendable () -> Int = { WallClock.seconds },
        warn: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (self.administration, self.web, self.identity) = (administration, web, identity)
        (self.tenant, self.keeping, self.options) = (tenant, keeping, options)
        (self.now, self.warn) = (now, warn)
    }

    /// Returns the command line of `sign-in` or `sign-out` for this sign-in.
    nonisolated func command(_ verb: String) -> String {
        let named = verb == "sign-in" ? tenant.map { ["--tenant", $0] } ?? [] : []
        return ShellCommand.text(["baton", "admin", verb, "--url", administration.origin] + options + named)
    }

    private var scope: Scopes {
        let all = administration.origin + Scopes.defaultSuffix
        if case .application = identity { return Scopes([all]) }
        return Scopes([all, Scopes.openID, Scopes.profile, Scopes.offlineAccess])
    }

    // MARK: - Tokens for requests

    /// Returns an access token that is still valid for a minute.
    ///
    /// - Throws: ``CommandFailure``.
    func accessToken() async throws -> Sensitive<String> {
        if let held, held.expiresAt > now() + Self.margin { return held.token }
        switch identity {
        case .application(let application): return try await requestTokens(application)
        case .person(let signIn):
            if let kept = try await kept(without: nil) { return try holdKept(kept) }
            guard let signIn else { throw signInRequired }
            return hold(try await begin(signIn, .anyAge))
        }
    }

    /// Returns another access token after the administration has refused one.
    ///
    /// - Throws: ``CommandFailure``.
    func replacement(for refused: Sensitive<String>) async throws -> Sensitive<String> {
        held = nil
        switch identity {
        case .application(let application): return try await requestTokens(application)
        case .person(let signIn):
            if let kept = try await kept(without: refused) { return try holdKept(kept) }
            guard let signIn else { throw signInRequired }
            return hold(try await begin(signIn, .anyAge))
        }
    }

    /// Signs in again, because the administration requires a sign-in that is more recent (RFC 9470).
    ///
    /// - Parameter seconds: the maximum age of the sign-in.
    /// - Returns: the new token; nil if nobody can sign in now.
    /// - Throws: ``CommandFailure``.
    func steppedUp(within seconds: Int) async throws -> Sensitive<String>? {
        switch identity {
        case .application(let application): return try await requestTokens(application)
        case .person(nil): return nil
        case .person(let signIn?): return hold(try await begin(signIn, .atMost(seconds)))
        }
    }

    /// For how many seconds a token must still be valid.
    private static let margin = 60

    private func requestTokens(_ application: ApplicationSignIn) async throws -> Sensitive<String> {
        let server = try await AuthorizationServer.discover(for: administration, tenant: tenant, through: web)
        let tokens = try await application.tokens(at: server, scope: scope, now: now())
        held = (tokens.accessToken, now() + tokens.lifetime)
        return tokens.accessToken
    }

    /// Uses a sign-in from the place where sign-ins are kept. Another command may have replaced it there.
    private func holdKept(_ kept: KeptSignIn) throws -> Sensitive<String> {
        try checkPerson(kept.person)
        return hold(kept)
    }

    private func hold(_ kept: KeptSignIn) -> Sensitive<String> {
        (held, person) = ((kept.accessToken, kept.expiresAt), kept.person)
        return kept.accessToken
    }

    // MARK: - Sign-in and sign-out

    /// The person who is signed in, and where the sign-in is kept.
    package struct Presence: Sendable {
        package let person: SignedInPerson
        package let place: String
        /// What went wrong without being fatal.
        package var warnings: [String] = []
    }

    /// Signs a person in anew and keeps the sign-in.
    ///
    /// - Throws: ``CommandFailure``; `keyring_locked` or `keyring_missing` before anything else if the sign-in cannot be
    ///   kept.
    package func signIn() async throws -> Presence {
        guard case .person(let signIn?) = identity else { throw signInRequired }
        let store = try await openStore()
        if let keyringState { throw Keyring.failure(keyringState) }
        person = nil
        let kept = try await begin(signIn, .new)
        return Presence(person: kept.person, place: store.place, warnings: warnings)
    }

    /// Returns the person who is signed in.
    ///
    /// - Throws: ``CommandFailure`` `sign_in_required` if nobody is.
    package func presence() async throws -> Presence {
        let store = try await openStore()
        guard let kept = try await store.read(for: administration) else { throw signInRequired }
        return Presence(person: kept.person, place: store.place)
    }

    /// Revokes the kept tokens at the server, and removes them from this machine in any case.
    ///
    /// - Returns: whether there was a sign-in.
    /// - Throws: ``CommandFailure``; `revocation_failed` if the server did not revoke the tokens, `keyring_locked` or
    ///   `keyring_missing` if it is not known whether there is a sign-in.
    package func signOut() async throws -> Bool {
        let store = try await openStore()
        // A keyring that cannot be used may contain a sign-in.
        if let keyringState { throw Keyring.failure(keyringState, isLookingUp: true) }
        held = nil
        let kept = try await store.locked { [administration] () -> KeptSignIn? in
            let kept = try await store.readExposed(for: administration)
            try await store.remove(for: administration)
            return kept
        }
        guard let kept else { return false }
        guard await revoke(kept) else {
            throw CommandFailure(
                code: "revocation_failed",
                message: "The sign-in is removed from this machine, but the server has not revoked it.",
                remedy: "If somebody may have copied it, end the session: \(Self.endingSession).")
        }
        return true
    }

    static let endingSession = "baton admin session list, then baton admin session revoke SESSION"

    /// Revokes the tokens of a sign-in at the server.
    ///
    /// - Returns: whether the server has done so.
    private func revoke(_ kept: KeptSignIn) async -> Bool {
        guard let token = kept.refreshToken, let endpoint = kept.revocationEndpoint else { return false }
        do { try await AuthorizationServer.revoke(token, at: endpoint, through: web) } catch { return false }
        return true
    }

    /// Signs a person in and keeps the sign-in.
    private func begin(_ signIn: PersonSignIn, _ freshness: PersonSignIn.Freshness) async throws -> KeptSignIn {
        let store = try await openStore()
        // A place that cannot be used is reported before the person signs in.
        try await store.check()
        _ = try await store.locked { [administration] in try await store.read(for: administration) }
        let server = try await AuthorizationServer.discover(for: administration, tenant: tenant, through: web)
        let outcome = try await signIn.run(at: server, scope: scope, freshness)
        let kept = KeptSignIn(outcome, from: server, for: administration, now: now())
        // The server knows the sign-in now. A signal must not prevent that it is kept or revoked.
        return try await Task { try await keep(kept, in: store) }.value
    }

    /// Keeps a new sign-in, and revokes the one that it replaces. If it cannot be kept, it is revoked.
    private func keep(_ kept: KeptSignIn, in store: any SignInStore) async throws -> KeptSignIn {
        let former: KeptSignIn?
        do {
            try checkPerson(kept.person)
            former = try await store.locked { [administration] in
                let former = try await store.read(for: administration)
                try await store.write(kept)
                return former
            }
        } catch {
            let failure = CommandFailure(reading: error)
            guard await !revoke(kept) else { throw failure }
            throw CommandFailure(
                code: failure.code, message: "\(failure.message) The server has not revoked the new sign-in, either.",
                remedy: "\(failure.remedy) To end the session of the new sign-in, run: \(Self.endingSession).")
        }
        if let former, former.refreshToken != kept.refreshToken, await !revoke(former) {
            report("The former sign-in is not revoked at the server. To end its session, run: \(Self.endingSession).")
        }
        if let keyringState {
            let unkept = Keyring.failure(keyringState)
            report("\(unkept.message) Each command signs in anew. \(unkept.remedy)")
            self.keyringState = nil
            AtEnd.add { [self] in await endUnkept(in: store) }
        }
        return kept
    }

    /// Revokes a sign-in that only this command knows.
    private func endUnkept(in store: any SignInStore) async {
        guard let kept = try? await store.read(for: administration), await !revoke(kept) else { return }
        report(
            "The sign-in of this command is not revoked at the server. To end its session, run: \(Self.endingSession).")
    }

    private func report(_ warning: String) {
        warnings.append(warning)
        warn(warning)
    }

    /// Refuses a person other than the one for whom this command has sent requests.
    ///
    /// - Throws: ``CommandFailure`` `sign_in_other_person`.
    private func checkPerson(_ new: SignedInPerson) throws {
        guard let person, (new.tenantID, new.objectID) != (person.tenantID, person.objectID) else { return }
        let (other, own) = (TextTable.printable(new.userName), TextTable.printable(person.userName))
        throw CommandFailure(
            code: "sign_in_other_person",
            message: "\(other) has signed in, but this command began as \(own), so it stops.",
            remedy:
                "Sign in as \(own) and repeat the command. To act as \(other) instead, run \(command("sign-out")) and then "
                + "\(command("sign-in"))")
    }

    /// Returns the kept sign-in, with an access token that is valid; nil if there is none, or if it has ended.
    ///
    /// - Parameter refused: an access token that the administration has refused.
    private func kept(without refused: Sensitive<String>?) async throws -> KeptSignIn? {
        let store = try await openStore()
        guard let kept = try await store.read(for: administration) else { return nil }
        if isUsable(kept, without: refused) { return kept }
        // If this command were cancelled between the server's answer and the writing, the sign-in would be lost: the
        // server accepts a refresh token only once. The task is therefore not cancelled.
        return try await Task { try await store.locked { try await renewed(in: store, without: refused) } }.value
    }

    private func isUsable(_ kept: KeptSignIn, without refused: Sensitive<String>?) -> Bool {
        kept.accessToken != refused && kept.expiresAt > now() + Self.margin
    }

    /// Renews the tokens, unless another command has just done so. The store must be locked.
    private func renewed(in store: any SignInStore, without refused: Sensitive<String>?) async throws -> KeptSignIn? {
        guard var kept = try await store.read(for: administration) else { return nil }
        if isUsable(kept, without: refused) { return kept }
        guard let token = kept.refreshToken else { return nil }
        // The server accepts a refresh token only once, so a place that cannot keep the next one must be found first.
        try await store.check()
        var form = FormParameters()
        form.append(ParameterName.grantType, GrantType.refreshToken.rawValue)
        form.append(ParameterName.clientID, AdministrationApp.clientID)
        form.append(ParameterName.refreshToken, token.exposed)
        do {
            let members = try await AuthorizationServer.post(form, to: kept.tokenEndpoint, through: web)
            kept.renew(with: try TokenReply(members, from: kept.tokenEndpoint), now: now())
        } catch let error as OAuthError {
            guard Self.ended.contains(error.code) else { throw PersonSignIn.refused(error) }
            try await store.remove(for: administration)
            return nil
        } catch let failure as WebFailure {
            throw failure.failure(at: ServerURL(kept.tokenEndpoint)?.origin ?? kept.tokenEndpoint)
        }
        try await store.write(kept)
        return kept
    }

    /// The errors that mean that the person must sign in again.
    private static let ended: Set<OAuthError.Code> = [.invalidGrant, .interactionRequired, .loginRequired]

    /// Returns the store. If the keyring cannot be used, it is this command's memory.
    private func openStore() async throws -> any SignInStore {
        if let store { return store }
        let opened: any SignInStore
        switch keeping {
        case .file(let path): opened = TokenFile(path: path)
        case .keyring:
            let state = try await Keyring.state()
            if state != .ready { keyringState = state }
            opened = state == .ready ? Keyring() : MemoryStore()
        }
        // Another task may have opened it meanwhile.
        if let store { return store }
        store = opened
        return opened
    }

    private var signInRequired: CommandFailure {
        let remedy = "Scripts use --client-id and --key. A person signs in with: \(command("sign-in"))"
        // A keyring that cannot be used may contain a sign-in.
        if let keyringState {
            let unknown = Keyring.failure(keyringState, isLookingUp: true)
            return unknown.withRemedy("\(unknown.remedy) \(remedy)")
        }
        return CommandFailure(
            code: "sign_in_required", message: "Nobody is signed in at \(administration.origin).", remedy: remedy)
    }
}
