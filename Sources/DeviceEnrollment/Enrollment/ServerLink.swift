// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import DeviceManagement

/// One enrollment's server, as the protocol reaches it (HTTP PUT, property lists).
struct ServerLink: Sendable {
    let client: any HTTPSending
    let enrollment: EnrollmentPayload

    /// What commands and results travel as.
    static let mediaType = "application/x-apple-aspen-mdm; charset=UTF-8"

    /// Sends a check-in message.
    ///
    /// - Throws: ``EnrollmentError`` where the answer is not 200.
    func checkIn(_ message: CheckInMessage) async throws {
        let body = try message.propertyList.xml()
        _ = try await put(enrollment.effectiveCheckInURL, type: CheckInMessage.mediaType, body: body)
    }

    /// Sends a result or `Idle`.
    ///
    /// - Returns: the next command's bytes; empty where there is none.
    /// - Throws: ``EnrollmentError`` where the answer is not 200.
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

/// What the status of an answer means for the request that it answers.
enum HTTPStatus {
    /// Whether the same request may succeed later: the server's own failure, or too much at once.
    static func mayPass(_ status: Int) -> Bool { status >= 500 || [408, 425, 429].contains(status) }
}
