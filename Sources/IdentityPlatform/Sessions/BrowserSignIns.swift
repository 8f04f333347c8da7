// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth
internal import Redaction
internal import Storage

/// Signs people in by name and password at pages of this server.
struct BrowserSignIns: Sendable {
    let database: any Database
    let environment: ClockAndRandomness
    let passwords: Passwords
    /// How long a browser session lasts.
    let lifetime: Duration
    private let storageKey: StorageKey
    private let failures: FailedSignIns

    init(_ platform: Platform) {
        (database, environment, passwords) = (platform.database, platform.environment, platform.passwords)
        lifetime = platform.configuration.lifetimes.browserSession
        (storageKey, failures) = (platform.storageKey, platform.failedSignIns)
    }

    /// A name and a password that somebody typed.
    struct Attempt: Sendable {
        let request: Request
        let origin: SignInOrigin
        let tenant: TenantID
        let client: ClientID
        let method: SignInMethod
        let name: String
        let password: SecretBytes
    }

    /// What becomes of an attempt: what has begun, or what the page says.
    enum Outcome<Begun: Sendable>: Sendable {
        case begun(Begun, CheckedPassword)
        case refused(OAuthError)
    }

    /// Checks a password, and begins what follows from it.
    ///
    /// - Parameter begin: the transaction, in which the password must still be the person's; nil where it is not.
    /// - Throws: ``OAuthError`` where the page cannot be shown again; ``StorageError``, or what `begin` throws.
    func run<Begun: Sendable>(
        _ attempt: Attempt, begin: (CheckedPassword) async throws -> Begun?
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

    /// Lets a browser whose epoch has ended begin anew, before a sign-in page is shown in it.
    ///
    /// - Throws: ``StorageError``
    func renew(_ request: Request) async throws {
        guard let browser = BrowserID(request),
            try await database.read({ try DeviceBrowsers($0).isOver(browser) })
        else { return }
        try await database.write { try DeviceBrowsers($0).forgetIfOver(browser) }
    }

    /// Has the browser remember that it signed this person in. A shared device's browser remembers nobody: the device
    /// itself is known.
    ///
    /// - Throws: the library's error.
    func remember(_ checked: CheckedPassword, in request: Request, on response: inout Response) throws {
        guard !checked.attempt.isAtDevice else { return }
        let text = try DeviceCookie.text(
            adding: checked.person, tenant: checked.attempt.tenant, to: DeviceCookie(request), at: environment.now(),
            environment: environment, key: storageKey)
        HostCookie.device.set(text, for: DeviceCookie.lifetime, on: &response)
    }
}
