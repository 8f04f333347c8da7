// SPDX-License-Identifier: Apache-2.0
internal import DeviceHTTPS
internal import DeviceSettings
internal import MDMProtocol

/// The connection to an enrollment's server in the MDM protocol (HTTP PUT, property lists).
struct ServerLink: Sendable {
    let client: any HTTPSending
    let enrollment: EnrollmentPayload

    /// The media type of commands and results.
    static let mediaType = "application/x-apple-aspen-mdm; charset=UTF-8"

    /// Sends a check-in message.
    ///
    /// - Throws: ``EnrollmentError`` if the answer is not 200.
    func checkIn(_ message: CheckInMessage) async throws {
        let body = try message.propertyList.xml()
        _ = try await put(enrollment.effectiveCheckInURL, type: CheckInMessage.mediaType, body: body)
    }

    /// Sends a result or `Idle`.
    ///
    /// - Returns: the next command's bytes; empty if there is none.
    /// - Throws: ``EnrollmentError`` if the answer is not 200.
    func connect(_ body: [UInt8]) async throws -> [UInt8] {
        try await put(enrollment.serverURL, type: Self.mediaType, body: body)
    }

    private func put(_ url: String, type: String, body: [UInt8]) async throws -> [UInt8] {
        let request = HTTPSClient.Request(
            method: "PUT", url: url, headers: [("Content-Type", type)], body: body)
        let answer: HTTPSClient.Response
        do { answer = try await client.send(request) } catch { throw EnrollmentError(.unreachable, "\(error)") }
        switch answer.status {
        case 200: return answer.body
        case 403 where Refusal.code(in: answer.body) == Refusal.unrecognizedDevice:
            throw EnrollmentError(.unrecognized, "the server does not know this device")
        case let status where HTTPStatus.mayPass(status):
            throw EnrollmentError(.serverFailed, "the server answered with \(status)")
        default: throw EnrollmentError(.serverRefused, "the server answered with \(answer.status)")
        }
    }
}

/// Interprets the status of an HTTP answer.
enum HTTPStatus {
    /// Whether the same request may succeed later: the server failed, or there were too many requests.
    static func mayPass(_ status: Int) -> Bool { status >= 500 || [408, 425, 429].contains(status) }
}
