// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
package import HTTPTypes
package import Hummingbird
internal import NIOCore
package import OAuth
internal import Storage

extension OAuthError {
    /// The HTTP status for the error (RFC 6749 section 5.2).
    package var status: HTTPResponse.Status {
        switch code {
        case _ where self == .tooLarge: .contentTooLarge
        case .invalidClient: .unauthorized
        case .temporarilyUnavailable: .serviceUnavailable
        case .serverError: .internalServerError
        default: .badRequest
        }
    }

    /// Returns the error as a JSON response with Entra's additions. Every ``OAuthError`` is turned into a response
    /// here.
    ///
    /// - Parameter correlation: the client's own request id, if it sent one.
    package func response(_ environment: ClockAndRandomness, correlation: String?) -> Response {
        let trace = RequestIDs.current?.trace ?? environment.identifier(of: OAuthError.self).rawValue
        let correlation = correlation ?? trace
        let time = Date(timeIntervalSince1970: Double(environment.now().seconds))
            .formatted(.iso8601.dateTimeSeparator(.space))
        let lines = [wireDescription, "Trace ID: \(trace)", "Correlation ID: \(correlation)", "Timestamp: \(time)"]
        var members = MembersWriter()
        members.set(ReplyName.error, code.rawValue)
        members.set(ReplyName.errorDescription, lines.joined(separator: "\r\n"))
        members.set(ReplyName.errorCodes, [number])
        members.set(ReplyName.timestamp, time)
        members.set(ReplyName.traceID, trace)
        members.set(ReplyName.correlationID, correlation)
        members.set(ReplyName.suberror, suberror)
        var response = Response(status: status, json: members)
        // A 401 must name a way to authenticate (RFC 9110 section 15.5.2).
        if response.status == .unauthorized { response.headers[.wwwAuthenticate] = "Basic realm=\"client\"" }
        return response
    }
}
