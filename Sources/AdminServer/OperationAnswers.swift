// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import HTTPTypes
internal import Hummingbird

/// Answers the calls of one engine, and no call twice that has an idempotency key.
struct OperationAnswers<Call: Sendable>: Sendable {
    let keys: IdempotencyKeys
    /// Looks up what every call of the engine names, such as the tenant.
    let prepare: @Sendable (OperationCall) async throws -> Call

    /// Responds to a call: with the answer to an earlier call if the call repeats it, otherwise with a new answer.
    func respond(
        to received: OperationCall, with answer: @Sendable (Call, OperationCall) async throws -> OperationAnswer
    ) async throws -> Response {
        guard let key = received.idempotencyKey else {
            return try await answer(try await prepare(received), received).response(to: received.operation)
        }
        return try await keys.alone(key) {
            if let earlier = try await keys.answer(to: key, of: received.operation) { return earlier }
            let made = try await answer(try await prepare(received), received)
            // A secret is not kept: the repeated call is told that its first answer contained one.
            if let bytes = made.bytes, !received.operation.hasSecretReply {
                try await keys.store(bytes, status: received.operation.status, as: key)
            }
            return made.response(to: received.operation)
        }
    }
}

/// What an operation answers with.
enum OperationAnswer: Sendable {
    case empty
    case json([UInt8], HTTPFields = [:])
    case stream(Response)

    /// The body; nil if it is not known before it is sent.
    var bytes: [UInt8]? {
        switch self {
        case .empty: []
        case .json(let bytes, _): bytes
        case .stream: nil
        }
    }

    func response(to operation: AdminOperation) -> Response {
        switch self {
        case .empty: Response(status: .init(code: operation.status))
        case .json(let bytes, let fields): Response(status: .init(code: operation.status), json: bytes, fields)
        case .stream(let response): response
        }
    }
}
