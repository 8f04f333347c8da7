// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import Storage

/// The ids of the request that the current task serves.
struct RequestIDs: Sendable {
    /// The server's own id of the request, a GUID; the client gets it in `x-ms-request-id`.
    let trace: String
    /// The id under which the request is found in the logs of app, broker and server, and in the audit log: the client's
    /// own id if it sent a GUID, otherwise ``trace``.
    let correlation: String

    @TaskLocal static var current: RequestIDs?

    /// The metadata keys of the two ids.
    static let (correlationKey, traceKey) = ("request.id", "request.trace")

    init(_ request: Request, _ environment: ClockAndRandomness) {
        trace = environment.identifier(of: RequestIDs.self).rawValue
        correlation = request.correlation ?? trace
    }
}
