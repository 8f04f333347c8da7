// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import Storage

/// Adds the routes of the administration socket to a router.
struct AdminRouter<Context: RequestContext> {
    let router: Router<Context>
    let database: any Database

    /// Adds one route. Refusals are returned as `{"error":…}`.
    func on(
        _ method: HTTPRequest.Method, _ path: IdentityAdmin.Path,
        answer: @escaping @Sendable (AdminCall) async throws -> Response
    ) {
        router.on(RouterPath(path.rawValue), method: method) { [database] request, context in
            do {
                return try await AuditLog.$correlation.withValue(
                    context.logger[metadataKey: "hb.request.id"]?.description
                ) {
                    try await answer(AdminCall(request: request, places: context.parameters, database: database))
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
