// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import HTTPTypes
internal import Hummingbird
internal import OAuth

/// A refusal in Graph's words, and the one place where it becomes a response.
enum GraphError: String, Error {
    case unauthenticated = "InvalidAuthenticationToken"
    case accessDenied = "Authorization_RequestDenied"
    case notFound = "Request_ResourceNotFound"
    case unknownProperty = "Request_UnsupportedQuery"
    case badRequest = "Request_BadRequest"
    case fault = "Service_InternalServerError"

    private var status: HTTPResponse.Status {
        switch self {
        case .unauthenticated: .unauthorized
        case .accessDenied: .forbidden
        case .notFound: .notFound
        case .unknownProperty, .badRequest: .badRequest
        case .fault: .internalServerError
        }
    }

    private var message: String {
        switch self {
        case .unauthenticated:
            "The access token is missing, invalid or expired, or its session has ended. Sign in again."
        case .accessDenied: "The token does not allow this. Ask for the scope that does."
        case .notFound: "There is no such resource."
        case .unknownProperty: "The query names a property that does not exist."
        case .badRequest: "The request is malformed."
        case .fault: "The server failed. Try again; tell the operator the request id."
        }
    }

    func response(_ ambient: Ambient, correlation: String?) -> Response {
        let request = ambient.identifier(of: GraphError.self).rawValue
        var inner = MembersWriter()
        inner.set(
            GraphName.date,
            Date(timeIntervalSince1970: Double(ambient.now().seconds)).formatted(.iso8601))
        inner.set(GraphName.requestID, request)
        inner.set(GraphName.clientRequestID, correlation ?? request)
        var error = MembersWriter()
        error.set(GraphName.code, rawValue)
        error.set(GraphName.message, message)
        error.set(GraphName.innerError, inner)
        var body = MembersWriter()
        body.set(GraphName.error, error)
        var response = Response(status: status, json: body)
        if self == .unauthenticated { response.headers[.wwwAuthenticate] = "Bearer error=\"invalid_token\"" }
        return response
    }
}
