// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth
internal import Redaction
internal import Storage

/// Signs people in with name and password on this server's pages.
struct BrowserSignIns: Sendable {
    let database: any Database
    let environment: ClockAndRandomness
    let passwords: Passwords
    /// How long a browser session lasts.
    let lifetime: Duration
    private let storageKey: StorageKey
    private let failures: FailedSignIns
    private let metrics: IdentityMetrics

    init(_ platform: Platform) {
        (database, environment, passwords) = (platform.database, platform.environment, platform.passwords)
        lifetime = platform.configuration.lifetimes.browserSession
        (storageKey, failures, metrics) = (platform.storageKey, platform.failedSignIns, platform.metrics)
    }

    /// A submitted name and password.
    struct Attempt: Sendable {
        let request: Request
        let origin: SignInOrigin
        let tenant: TenantID
        let client: ClientID
        let method: SignInMethod
        let name: String
        let password: SecretBytes
    }

    /// The result of an attempt: the value that `begin` returned, or the error that the page shows.
    enum Outcome<Begun: Sendable>: Sendable {
        case begun(Begun, CheckedPassword)
        case refused(OAuthError)
    }

    /// Checks a password and, if it is correct, runs the transaction that uses it.
    ///
    /// - Parameter begin: the transaction, which must confirm the password and return nil if it is no longer valid.
    /// - Throws: ``OAuthError`` if the page cannot be shown again; ``StorageError``, or the error of `begin`.
    func run<Begun: Sendable>(
        _ attempt: Attempt, begin: (CheckedPassword) async throws -> Begun?
    ) async throws -> Outcome<Begun> {
        do {
            let outcome = try await outcome(of: attempt, begin: begin)
            switch outcome {
            case .begun: metrics.count(attempt.method, .done)
            case .refused(let error): metrics.count(attempt.method, IdentityMetrics.Outcome(error))
            }
            return outcome
        } catch {
            metrics.count(attempt.method, IdentityMetrics.Outcome(error))
            throw error
        }
    }

    private func outcome<Begun: Sendable>(
        of attempt: Attempt, begin: (CheckedPassword) async throws -> Begun?
    ) async throws -> Outcome<Begun> {
        do {
            let checked = try await passwords.check(
                name: attempt.name, password: attempt.password, tenant: attempt.tenant, from: attempt.origin)
            if let checked, let begun = try await passwords.using(checked, { try await begin(checked) }) {
                return .begun(begun, checked)
            }
        } catch is HashingPool.Busy {
            return .refused(.busy)
        } catch let error as OAuthError where error == .tooManyFailures {
            return .refused(error)
        } catch let error as OAuthError where error == .endedBrowserEpoch {
            try await renew(attempt.request)
            return .refused(error)
        } catch let error as OAuthError where error == .otherPersonOnDevice {
            try await record(attempt)
            throw error
        }
        try await record(attempt)
        return .refused(.badCredentials)
    }

    private func record(_ attempt: Attempt) async throws {
        try await failures.record(
            name: attempt.name, tenant: attempt.tenant, client: attempt.client.rawValue, method: attempt.method)
    }

    /// Removes the record that binds a browser to a device, if the epoch or session in the record has ended. Call this
    /// before a sign-in page is shown in the browser.
    ///
    /// - Throws: ``StorageError``
    func renew(_ request: Request) async throws {
        guard let browser = BrowserID(request),
            try await database.read({ try DeviceBrowsers($0).isOver(browser) })
        else { return }
        try await database.write { try DeviceBrowsers($0).forgetIfOver(browser) }
    }

    /// Sets the cookie that remembers this person's sign-in in the browser. Does not set it on a shared device, because
    /// failures there are counted per device.
    ///
    /// - Throws: an error of the cryptography library.
    func remember(_ checked: CheckedPassword, in request: Request, on response: inout Response) throws {
        guard !checked.attempt.isAtDevice else { return }
        let text = try DeviceCookie.text(
            adding: checked.person, tenant: checked.attempt.tenant, to: DeviceCookie(request), at: environment.now(),
            environment: environment, key: storageKey)
        HostCookie.device.set(text, for: DeviceCookie.lifetime, on: &response)
    }
}
