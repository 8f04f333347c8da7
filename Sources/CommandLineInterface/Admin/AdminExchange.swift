// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AsyncHTTPClient
internal import NIOHTTP1
internal import Redaction

/// Sends one request, and sends it again where that is safe: after a lost connection, after a pause that the server
/// asks for, with another token, or after another sign-in.
struct AdminExchange {
    /// A successful answer.
    struct Reply: Sendable {
        let headers: HTTPHeaders
        /// The body; empty if it is read later.
        let body: [UInt8]
        /// The answer whose body is read later.
        let rest: HTTPClientResponse?
    }

    let connection: AdminConnection
    /// Whether the body of a successful answer is read by the caller, piece by piece.
    let isStreamed: Bool
    /// Is told the header fields of every answer, also of refusals.
    let observe: @Sendable (HTTPHeaders) -> Void

    private static let maximumReply = 64 << 20
    /// For how many seconds a command waits altogether, if the server asks for pauses.
    private static let maximumWait = 30

    /// - Throws: ``CommandFailure``, or `CancellationError`.
    func reply(to original: HTTPClientRequest) async throws -> Reply {
        var request = original
        // A DELETE is not repeated: if only its answer was lost, the repetition would be refused because nothing is
        // left to remove.
        var mayRepeat = connection.session != nil && request.method != .DELETE
        var (mayRenew, mayStepUp, waited) = (true, true, 0)
        var token = try await connection.session?.accessToken()
        while true {
            if let token { request.headers.replaceOrAdd(name: "Authorization", value: "Bearer \(token.exposed)") }
            let refusal: AdminRefusal
            do {
                switch try await attempt(request) {
                case .success(let reply): return reply
                case .failure(let refused): refusal = refused.refusal
                }
            } catch WebFailure.lost where mayRepeat {
                mayRepeat = false
                continue
            } catch let failure as WebFailure {
                throw connection.failure(failure)
            }
            switch refusal.remedy {
            case .wait(let seconds) where waited + max(seconds, 1) <= Self.maximumWait:
                waited += max(seconds, 1)
                try await Task.sleep(for: .seconds(seconds))
            case .token where mayRenew:
                guard let session = connection.session, let refused = token else { throw refusal.failure }
                mayRenew = false
                token = try await session.replacement(for: refused)
            case .stepUp(let seconds) where mayStepUp:
                guard let session = connection.session else { throw refusal.failure }
                mayStepUp = false
                guard let stepped = try await session.steppedUp(within: seconds) else {
                    throw refusal.failure.withRemedy(
                        "Sign in, and run this command again within \(seconds) seconds. To sign in, run: "
                            + session.command("sign-in"))
                }
                token = stepped
            default: throw refusal.failure
            }
        }
    }

    private struct Refused: Error { let refusal: AdminRefusal }

    private func attempt(_ request: HTTPClientRequest) async throws -> Result<Reply, Refused> {
        let response = try await connection.web.open(request)
        observe(response.headers)
        let status = Int(response.status.code)
        let isDone = (200...299).contains(status)
        let body =
            isDone && isStreamed ? [] : try await connection.web.body(of: response, limit: Self.maximumReply)
        guard isDone else {
            return .failure(
                Refused(
                    refusal: AdminRefusal(
                        status: status, headers: response.headers, body: body, isLocal: connection.session == nil)))
        }
        return .success(Reply(headers: response.headers, body: body, rest: isStreamed ? response : nil))
    }
}
