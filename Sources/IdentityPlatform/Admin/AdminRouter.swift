// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import Logging
internal import NIOCore
internal import Storage

/// Adds the routes of the administration socket to a router.
struct AdminRouter<Context: RequestContext> {
    let router: Router<Context>
    let database: any Database

    /// Adds the route of an operation with a body and a reply.
    ///
    /// - Parameter limit: the maximum size of the body, in bytes.
    func on<Body: Decodable, Reply: Encodable>(
        _ endpoint: Endpoint<Body, Reply>, limit: Int = 64 << 10,
        answer: @escaping @Sendable (AdminCall, AdminBody<Body>) async throws -> Reply
    ) {
        add(endpoint.operation) { call, status in
            try Response.json(try await answer(call, AdminBody(request: call.request, limit: limit)), status: status)
        }
    }

    /// Adds the route of an operation with a body and without a reply.
    ///
    /// - Parameter limit: the maximum size of the body, in bytes.
    func on<Body: Decodable>(
        _ endpoint: Endpoint<Body, Empty>, limit: Int = 64 << 10,
        answer: @escaping @Sendable (AdminCall, AdminBody<Body>) async throws -> Void
    ) {
        add(endpoint.operation) { call, status in
            try await answer(call, AdminBody(request: call.request, limit: limit))
            return Response(status: status)
        }
    }

    /// Adds the route of an operation without a body and with a reply.
    func on<Reply: Encodable>(
        _ endpoint: Endpoint<Empty, Reply>, answer: @escaping @Sendable (AdminCall) async throws -> Reply
    ) {
        add(endpoint.operation) { call, status in try Response.json(try await answer(call), status: status) }
    }

    /// Adds the route of an operation without a body and without a reply.
    func on(_ endpoint: Endpoint<Empty, Empty>, answer: @escaping @Sendable (AdminCall) async throws -> Void) {
        add(endpoint.operation) { call, status in
            try await answer(call)
            return Response(status: status)
        }
    }

    /// Adds the route of an operation that returns an export.
    func on(_ endpoint: Endpoint<Empty, Export>, answer: @escaping @Sendable (AdminCall) async throws -> Response) {
        add(endpoint.operation) { call, _ in try await answer(call) }
    }

    /// Adds the route of an operation that returns a document.
    func on(_ endpoint: Endpoint<Empty, Document>, answer: @escaping @Sendable (AdminCall) async throws -> [UInt8]) {
        add(endpoint.operation) { call, status in Response(status: status, json: try await answer(call)) }
    }

    /// Adds one route. Refusals are returned as `{"error":…}`.
    private func add(
        _ operation: AdminOperation,
        respond: @escaping @Sendable (AdminCall, HTTPResponse.Status) async throws -> Response
    ) {
        let status = HTTPResponse.Status(code: operation.status)
        guard let method = HTTPRequest.Method(operation.method.rawValue) else {
            preconditionFailure("\(operation.id) has a method that HTTP does not allow")
        }
        router.on(RouterPath(operation.path), method: method) { [database] request, context in
            do {
                return try await AuditLog.$correlation.withValue(
                    context.logger[metadataKey: "hb.request.id"]?.description
                ) {
                    try await respond(
                        AdminCall(request: request, places: context.parameters, database: database), status)
                }
            } catch let refusal as AdminRefusal {
                return Response(refusal.failure, status: refusal.status)
            } catch let refusal as RefusedRedirectURI {
                return Response(refusal.failure, status: AdminRefusal.badRedirect.status)
            } catch let refusal as NamedRefusal {
                return Response(refusal.failure, status: refusal.refusal.status)
            } catch let error as StorageError where error.isTemporary {
                // The socket's listener turns this error into a response, in the same way for both engines.
                throw error
            } catch {
                context.logger.error("administration failed", metadata: ["error": "\(error)"])
                return Response(AdminRefusal.fault.failure, status: AdminRefusal.fault.status)
            }
        }
    }
}

/// The body of a call, which is read when it is asked for, so that the path is judged first.
struct AdminBody<Value: Decodable & Sendable>: Sendable {
    let request: Request
    /// The maximum size, in bytes.
    let limit: Int

    /// Decodes the JSON body.
    ///
    /// - Throws: ``AdminRefusal/malformed``
    func decoded() async throws -> Value {
        do {
            let limits = JSONLimits(bytes: limit)
            let buffer = try await request.body.collect(upTo: limits.bytes)
            return try JSONReader.read(Value.self, from: Array(buffer.readableBytesView), limits: limits)
        } catch {
            throw AdminRefusal.malformed
        }
    }
}

extension Response {
    /// Returns a response with a value as JSON.
    static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        Response(status: status, json: try AdminAnswer.json(value))
    }

    fileprivate init(_ failure: AdminFailure, status: HTTPResponse.Status) {
        do {
            self = try .json(failure, status: status)
        } catch {
            self.init(status: .internalServerError)
        }
    }
}
