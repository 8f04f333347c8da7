// SPDX-License-Identifier: Apache-2.0
package import CoreMetrics
internal import OAuth
package import Observability
internal import Storage

/// The platform's own metrics. All handles are created at the start, so that counting allocates nothing.
package struct IdentityMetrics: Sendable {
    /// What a request asks the token endpoint for.
    package enum GrantKind: String, CaseIterable, Sendable {
        case authorizationCode = "authorization_code"
        /// A token for an application that acts for itself.
        case clientCredentials = "client_credentials"
        case deviceCode = "device_code"
        /// A token for the device itself.
        case deviceToken = "device_token"
        case nonce, password
        case primaryIssue = "prt_issue"
        /// A token, or a new PRT, in exchange for a PRT.
        case primaryUse = "prt_use"
        case refreshToken = "refresh_token"
        /// A signed request that was refused before its kind was known.
        case signedRequest = "signed_request"
    }

    /// How a grant or a sign-in ended.
    package enum Outcome: String, CaseIterable, Sendable {
        case done, refused, throttled
        /// The queue for password hashes is full.
        case busy
        /// An unexpected error.
        case failed

        init(_ error: any Error) {
            self =
                switch error {
                case let error as OAuthError where error == .tooManyFailures || error == .tooManyAssertions: .throttled
                case let error as OAuthError where error == .busy: .busy
                case is OAuthError: .refused
                case is HashingPool.Busy: .busy
                default: .failed
                }
        }
    }

    /// A limit on how often something may be tried.
    package enum Throttle: String, CaseIterable, Sendable {
        case signIn = "sign_in"
        case userCode = "user_code"
        case deviceCode = "device_code"
        case clientAssertion = "client_assertion"
    }

    private let grants: [GrantKind: [Outcome: Counter]]
    private let signIns: [SignInMethod: [Outcome: Counter]]
    private let throttles: [Throttle: Counter]
    let hashing: HashingPool.Metrics

    private static let grantsTotal = "baton_grants_total"
    private static let signInsTotal = "baton_sign_ins_total"
    private static let throttledTotal = "baton_throttled_total"
    private static let hashingWait = "baton_password_hash_wait_seconds"
    private static let hashingRefused = "baton_password_hash_refused_total"

    package static let declarations = [
        MetricDeclaration(
            grantsTotal, .counter, labels: [.init("grant", GrantKind.self), .init("outcome", Outcome.self)],
            help: "Requests at the token endpoint by kind and outcome."),
        MetricDeclaration(
            signInsTotal, .counter,
            labels: [.init("method", SignInMethod.all.map(\.rawValue)), .init("outcome", Outcome.self)],
            help: "Sign-ins with a password or a worker's own key, by method and outcome."),
        MetricDeclaration(
            throttledTotal, .counter, labels: [.init("limit", Throttle.self)],
            help: "Attempts that were refused because there were too many."),
        MetricDeclaration(
            hashingWait, .histogram([0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]),
            help: "How long a password waited for a thread that hashes it."),
        MetricDeclaration(
            hashingRefused, .counter,
            help: "Passwords that were not hashed, because the queue or a requester's share was full."),
    ]

    /// - Parameter factory: creates the handles; the default counts nothing.
    package init(_ factory: any MetricsFactory = NOOPMetricsHandler.instance) {
        func counters(_ name: String, label: String, value: String) -> [Outcome: Counter] {
            Dictionary(
                uniqueKeysWithValues: Outcome.allCases.map { outcome in
                    let labels = [(label, value), ("outcome", outcome.rawValue)]
                    return (outcome, Counter(label: name, dimensions: labels, factory: factory))
                })
        }
        grants = Dictionary(
            uniqueKeysWithValues: GrantKind.allCases.map {
                ($0, counters(Self.grantsTotal, label: "grant", value: $0.rawValue))
            })
        signIns = Dictionary(
            uniqueKeysWithValues: SignInMethod.all.map {
                ($0, counters(Self.signInsTotal, label: "method", value: $0.rawValue))
            })
        throttles = Dictionary(
            uniqueKeysWithValues: Throttle.allCases.map {
                ($0, Counter(label: Self.throttledTotal, dimensions: [("limit", $0.rawValue)], factory: factory))
            })
        hashing = HashingPool.Metrics(
            wait: CoreMetrics.Timer(label: Self.hashingWait, factory: factory),
            refused: Counter(label: Self.hashingRefused, factory: factory))
    }

    /// Runs `body`, which handles a request at the token endpoint, and counts the outcome.
    func grant<T>(_ kind: GrantKind, _ body: () async throws -> T) async throws -> T {
        do {
            let value = try await body()
            grants[kind]?[.done]?.increment()
            return value
        } catch {
            grants[kind]?[Outcome(error)]?.increment()
            throw error
        }
    }

    /// Runs `body`, which signs a person in, and counts the outcome. A result of nil means that the sign-in was
    /// refused.
    func signIn<T>(_ method: SignInMethod, _ body: () async throws -> T?) async throws -> T? {
        do {
            let value = try await body()
            count(method, value == nil ? .refused : .done)
            return value
        } catch {
            count(method, Outcome(error))
            throw error
        }
    }

    func count(_ grant: GrantKind, _ outcome: Outcome) { grants[grant]?[outcome]?.increment() }

    func count(_ method: SignInMethod, _ outcome: Outcome) { signIns[method]?[outcome]?.increment() }

    func count(_ throttle: Throttle) { throttles[throttle]?.increment() }
}

extension GrantType {
    /// The kind of the grant; nil for a signed request, whose kind follows from its content.
    var kind: IdentityMetrics.GrantKind? {
        switch self {
        case .authorizationCode: .authorizationCode
        case .clientCredentials: .clientCredentials
        case .deviceCode: .deviceCode
        case .deviceToken: .deviceToken
        case .jwtBearer: nil
        case .password: .password
        case .refreshToken: .refreshToken
        case .serverChallenge: .nonce
        }
    }
}
