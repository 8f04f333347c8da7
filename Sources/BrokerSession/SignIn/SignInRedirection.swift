// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import OAuth
internal import Processes
internal import Redaction
internal import WebPages

/// The device's side of a sign-in at the identity platform: redirects the browser there, and receives the answer (RFC
/// 8252 section 7.3).
struct SignInRedirection: Sendable {
    /// The parameters of the answer.
    let answer: Promise<FormParameters>
    private let server: LoopbackServer

    /// The address to which the identity platform sends the answer.
    var redirectURI: String { server.origin }
    /// The address that the browser opens.
    var startURL: String { server.startURL }

    /// Listens on a free port.
    ///
    /// - Parameters:
    ///   - language: the language of the broker's pages; nil for the browser's language.
    ///   - authorizeURL: returns the identity platform's address for a redirect URI and a `state`. Only an answer with
    ///     that `state` is accepted.
    static func open(
        for attempt: SignInAttempt, in language: Language?,
        authorizeURL: @escaping @Sendable (_ redirectURI: String, _ state: String) -> String
    ) async throws -> SignInRedirection {
        let answer = Promise<FormParameters>()
        let state = ProofKey.verifier()
        let address = Promise<String>()
        attempt.interruption.whenSettled { outcome in
            if case .failure(let error) = outcome { answer.settle(.failure(error)) }
        }
        let server = try await LoopbackServer.open(
            in: language, owner: attempt.browserOwner,
            unable: { answer.settle(.failure(BrokerError.browserNotKnown($0))) },
            serve: { request, language in
                switch request {
                case .start:
                    guard let address = try? await address.value() else { return .notFound(in: language) }
                    return .redirect(to: address, in: language)
                case .get("/", let query?):
                    guard let fields = fields(in: query, of: state) else { return .notFound(in: language) }
                    answer.settle(.success(fields))
                    guard fields[ParameterName.error] == nil else { return .page(.refused, in: language) }
                    return .page(.done, in: language)
                case .get, .post: return .notFound(in: language)
                }
            })
        address.settle(.success(authorizeURL(server.origin, state)))
        return SignInRedirection(answer: answer, server: server)
    }

    /// Closes the port.
    func close() { server.close() }

    /// The parameters of an answer that contains `state`; nil for any other answer.
    private static func fields(in query: String, of state: String) -> FormParameters? {
        guard let fields = try? FormParameters(parsing: Array(query.utf8)), let returned = fields[ParameterName.state],
            equalInConstantTime(Array(returned.utf8), Array(state.utf8))
        else { return nil }
        return fields
    }
}
