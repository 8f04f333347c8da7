// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import FoundationEssentials
internal import HTTPTypes
internal import Hummingbird
internal import OAuth
internal import Storage

/// A refusal in Graph's format. Every Graph error is turned into a response here. Messages contain no user data.
struct GraphError: Error, Equatable {
    let code: String
    let status: HTTPResponse.Status
    let message: String

    // The caller
    static let unauthenticated = GraphError(
        "InvalidAuthenticationToken", status: .unauthorized,
        message: "The access token is missing, invalid or expired, or its session has ended. Sign in again.")
    static let missingScope = GraphError(
        "Authorization_RequestDenied", status: .forbidden,
        message: "The token does not allow this. Ask for the scope that does.")
    static let missingRole = GraphError(
        "Authorization_RequestDenied", status: .forbidden,
        message: "The person holds no directory role that allows this. Have one assigned.")
    static let privileged = GraphError(
        "Authorization_RequestDenied", status: .forbidden,
        message: "Only a Global Administrator can change who holds a directory role.")

    // The requested object or list
    static let notFound = GraphError(
        "Request_ResourceNotFound", status: .notFound, message: "There is no such resource.")
    static let unknownOption = GraphError(
        "Request_UnsupportedQuery", status: .badRequest,
        message:
            "The query has an option that is not supported here. Lists take $select, $filter, $top, $count, $skiptoken."
    )
    static let unknownProperty = GraphError(
        "Request_UnsupportedQuery", status: .badRequest, message: "The query names a property that does not exist.")
    static let unfilterable = GraphError(
        "Request_UnsupportedQuery", status: .badRequest,
        message: "The list cannot be filtered by that property or by that kind of value.")
    static let badFilter = GraphError(
        "Request_UnsupportedQuery", status: .badRequest,
        message: "The filter is malformed. Use property eq 'value', and join several conditions with and.")
    static let badTop = GraphError(
        "Request_BadRequest", status: .badRequest, message: "$top is a number from 1 to 999.")
    static let badQuery = GraphError("Request_BadRequest", status: .badRequest, message: "The query is malformed.")
    static let badPageToken = GraphError(
        "Directory_ExpiredPageToken", status: .badRequest,
        message: "The $skiptoken is not valid for this list and person. Begin with the first page.")

    // The request's body
    static let badRequest = GraphError("Request_BadRequest", status: .badRequest, message: "The request is malformed.")
    static let badBody = GraphError(
        "Request_BadRequest", status: .badRequest, message: "The body is not a JSON object that this call takes.")
    static let unknownMember = GraphError(
        "Request_BadRequest", status: .badRequest, message: "The body names a property that cannot be set by this call."
    )
    static let badNickname = GraphError(
        "Request_BadRequest", status: .badRequest,
        message: "mailNickname is the part of the user principal name before the @ here.")
    static let noForcedChange = GraphError(
        "Request_BadRequest", status: .badRequest,
        message: "A change of password at the next sign-in cannot be required here.")
    static let unknownGroupKind = GraphError(
        "Request_BadRequest", status: .badRequest,
        message: "Only security groups are supported, not groups that receive mail.")
    static let badPolicy = GraphError(
        "Request_BadRequest", status: .badRequest,
        message: "The policy is not supported. Name people by id, not groups, and require no second factor.")
    static let badReference = GraphError(
        "Request_BadRequest", status: .badRequest,
        message: "@odata.id does not name an object of this directory by its id.")
    static let changed = GraphError(
        "PreconditionFailed", status: .preconditionFailed,
        message: "The object has changed and no longer matches If-Match. Read it again, then change it.")
    static let busy = GraphError(
        "Service_Unavailable", status: .serviceUnavailable,
        message: "Too many passwords are being hashed. Try again in a few seconds.")
    static let unavailable = GraphError(
        "Service_Unavailable", status: .serviceUnavailable,
        message: "The server cannot use its database at this moment. Try again in a few seconds.")
    static let fault = GraphError(
        "Service_InternalServerError", status: .internalServerError,
        message: "The server failed. Try again; tell the operator the request id.")

    init(_ code: String, status: HTTPResponse.Status, message: String) {
        (self.code, self.status, self.message) = (code, status, message)
    }

    /// Converts the refusal of an administrative act to Graph's format.
    init(_ refusal: AdminRefusal) {
        let code =
            switch refusal.status {
            case .conflict where refusal == .lastAdministrator: "Request_BadRequest"
            case .notFound: "Request_ResourceNotFound"
            case .conflict: "Request_MultipleObjectsWithSameKeyValue"
            case .serviceUnavailable: "Service_Unavailable"
            case .internalServerError: "Service_InternalServerError"
            default: "Request_BadRequest"
            }
        self.init(
            code, status: refusal.status, message: "\(refusal.failure.error.message) \(refusal.failure.error.remedy)")
    }

    func response(_ environment: ClockAndRandomness, correlation: String?) -> Response {
        let request = RequestIDs.current?.trace ?? environment.identifier(of: GraphError.self).rawValue
        var inner = MembersWriter()
        inner.set(GraphName.date, environment.now().iso8601)
        inner.set(GraphName.requestID, request)
        inner.set(GraphName.clientRequestID, correlation ?? request)
        var error = MembersWriter()
        error.set(GraphName.code, code)
        error.set(GraphName.message, message)
        error.set(GraphName.innerError, inner)
        var body = MembersWriter()
        body.set(GraphName.error, error)
        return Response(status: status, json: body)
    }
}

extension Timestamp {
    /// The time in the form `2026-11-21T13:00:00Z`.
    var iso8601: String { Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601) }
}
