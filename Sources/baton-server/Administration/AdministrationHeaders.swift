// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import HTTPTypes
internal import Hummingbird
internal import Logging

/// Adds the headers that every answer of the HTTPS listener has, and answers requests that match no operation.
struct AdministrationHeaders: RouterMiddleware {
    typealias Context = AdminContext

    func handle(
        _ request: Request, context: AdminContext, next: @concurrent (Request, AdminContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound {
            response = Response(Self.unknown(request))
        } catch let error as HTTPError where error.status.code < 500 {
            response = Response(
                OperationRefusal(
                    "admin.request", status: error.status,
                    ("The request is not acceptable.", "Compare it with docs/administration.md.")))
        }
        // A client that has sent HEAD would take a body for the next answer.
        if request.method == .head { response.body = ResponseBody() }
        for (name, value) in Self.fields where response.headers[name] == nil { response.headers[name] = value }
        response.headers[AdminFieldName.requestID.field] = context.logger[metadataKey: "hb.request.id"]?.description
        return response
    }

    /// Returns the refusal of a request that matches no operation: 405 with the methods of the path if there are any (RFC
    /// 9110 section 15.5.6), otherwise 404.
    private static func unknown(_ request: Request) -> OperationRefusal {
        let methods = AdminOperation.all.filter { $0.matches(request.uri.path) }.map(\.method.rawValue)
        guard !methods.isEmpty else {
            return OperationRefusal(
                "admin.path", status: .notFound,
                ("There is no operation at this path.", "GET /openapi.json describes all operations."))
        }
        let allowed = Set(methods).sorted().joined(separator: ", ")
        return OperationRefusal(
            "admin.method", status: .methodNotAllowed,
            ("No operation at this path has this method.", "Use one of: \(allowed)."), headers: [.allow: allowed])
    }

    private static let fields: [(HTTPField.Name, String)] = [
        (.cacheControl, "no-store"), (.xContentTypeOptions, "nosniff"),
        (.strictTransportSecurity, "max-age=31536000"),
        (.contentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'"),
    ]
}

extension AdminOperation {
    /// Whether a path has the form of the operation's path.
    fileprivate func matches(_ path: String) -> Bool {
        let (own, given) = (self.path.split(separator: "/"), path.split(separator: "/"))
        return own.count == given.count && zip(own, given).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }
}
