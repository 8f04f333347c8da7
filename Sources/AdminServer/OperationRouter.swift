// SPDX-License-Identifier: Apache-2.0
package import AdminAPI
internal import HTTPTypes
package import Hummingbird
internal import Logging
internal import NIOCore
package import Storage

/// Adds the routes of operations to a router, for one engine. Each engine looks up what a call names in its own way, and
/// makes a call of its own type from it. The routes rely on ``PathCheck``, which the composition adds to the router.
package struct OperationRouter<Call: Sendable> {
    private let router: Router<AdminContext>
    private let answers: OperationAnswers<Call>

    /// - Parameters:
    ///   - database: the engine's database, in which its idempotency keys are.
    ///   - prepare: looks up what every call of the engine names, such as the tenant.
    package init(
        _ router: Router<AdminContext>, _ database: any Database,
        prepare: @escaping @Sendable (OperationCall) async throws -> Call
    ) {
        self.router = router
        answers = OperationAnswers(keys: IdempotencyKeys(database), prepare: prepare)
    }

    /// Adds the route of an operation with a body and a reply.
    ///
    /// - Parameter limit: the maximum size of the body, in bytes.
    package func on<Body: Decodable, Reply: Encodable>(
        _ endpoint: Endpoint<Body, Reply>, limit: Int = defaultBodyLimit,
        answer: @escaping @Sendable (Call, OperationBody<Body>) async throws -> Reply
    ) {
        add(endpoint.operation, limit: limit) { call, received in
            .json(try AdminAnswer.json(try await answer(call, OperationBody(call: received))))
        }
    }

    /// Adds the route of an operation with a body and without a reply.
    ///
    /// - Parameter limit: the maximum size of the body, in bytes.
    package func on<Body: Decodable>(
        _ endpoint: Endpoint<Body, Empty>, limit: Int = defaultBodyLimit,
        answer: @escaping @Sendable (Call, OperationBody<Body>) async throws -> Void
    ) {
        add(endpoint.operation, limit: limit) { call, received in
            try await answer(call, OperationBody(call: received))
            return .empty
        }
    }

    /// Adds the route of an operation without a body and with a reply.
    package func on<Reply: Encodable>(
        _ endpoint: Endpoint<Empty, Reply>, answer: @escaping @Sendable (Call) async throws -> Reply
    ) {
        add(endpoint.operation) { call, _ in .json(try AdminAnswer.json(try await answer(call))) }
    }

    /// Adds the route of an operation without a body and without a reply.
    package func on(_ endpoint: Endpoint<Empty, Empty>, answer: @escaping @Sendable (Call) async throws -> Void) {
        add(endpoint.operation) { call, _ in
            try await answer(call)
            return .empty
        }
    }

    /// Adds the route of an operation that returns a list in pages. The response contains a link to the next page if
    /// there is one (RFC 8288).
    package func on<Item: Encodable>(
        list endpoint: Endpoint<Empty, [Item]>,
        answer: @escaping @Sendable (Call, PageRequest) async throws -> Page<Item>
    ) {
        add(endpoint.operation) { call, received in
            let page = try await answer(call, try PageRequest(received))
            let link = page.next.map(received.link).map { [HTTPField(name: .link, value: $0)] } ?? []
            return .json(try AdminAnswer.json(page.items), HTTPFields(link))
        }
    }

    /// Adds the route of an operation that returns one object, whose tag is in the response (RFC 9110 section 8.8.3).
    package func on<Item: Encodable>(
        object endpoint: Endpoint<Empty, Item>, answer: @escaping @Sendable (Call) async throws -> Item
    ) {
        add(endpoint.operation) { call, _ in
            let item = try await answer(call)
            return .json(try AdminAnswer.json(item), [.eTag: try EntityTag(of: item).text])
        }
    }

    /// Adds the route of an operation that returns an export.
    package func on(
        _ endpoint: Endpoint<Empty, Export>, answer: @escaping @Sendable (Call) async throws -> Response
    ) {
        add(endpoint.operation) { call, _ in .stream(try await answer(call)) }
    }

    /// Adds the route of an operation that returns a document.
    package func on(
        _ endpoint: Endpoint<Empty, Document>, answer: @escaping @Sendable (Call) async throws -> [UInt8]
    ) {
        add(endpoint.operation) { call, _ in .json(try await answer(call)) }
    }

    private func add(
        _ operation: AdminOperation, limit: Int = defaultBodyLimit,
        answer: @escaping @Sendable (Call, OperationCall) async throws -> OperationAnswer
    ) {
        router.on(RouterPath(operation.path), method: operation.method.http) { [answers] request, context in
            guard let caller = context.caller else { return Response(status: .forbidden) }
            do {
                let id = context.logger[metadataKey: "hb.request.id"]?.description
                return try await AuditLog.$correlation.withValue(id) {
                    try await AuditLog.$interface.withValue(caller.interface) {
                        try await caller.admit(to: operation)
                        let received = try await OperationCall(
                            operation, by: caller, request, places: context.parameters, limit: limit)
                        return try await answers.respond(to: received, with: answer)
                    }
                }
            } catch let refusal as any OperationRefusing {
                return Response(refusal)
            } catch let error as StorageError where error.isTemporary {
                // The interface turns this error into a response, in the same way for both engines.
                throw error
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                context.logger.error(
                    "administration failed", metadata: ["error": "\(error)", "operation": "\(operation.id)"])
                return Response(OperationRefusal.fault(operation))
            }
        }
    }
}

/// The maximum size of a body, in bytes, unless an operation has its own.
package let defaultBodyLimit = 64 << 10

extension AdminOperation.Method {
    /// The method as HTTP's library has it.
    var http: HTTPRequest.Method {
        switch self {
        case .get: .get
        case .post: .post
        case .put: .put
        case .patch: .patch
        case .delete: .delete
        }
    }
}
