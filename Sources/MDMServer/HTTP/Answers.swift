// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import MDMProtocol
internal import NIOCore
internal import Storage

extension DeviceRefusal {
    /// The response to the device. Only ``unrecognized`` gets 403 with the code that makes a device drop its
    /// enrollment. No refusal has status 401, because devices drop their enrollment after a 401 as well.
    var response: Response {
        switch self {
        case .noCertificate:
            text(.forbidden, "This server identifies devices by their TLS client certificate; none was sent.")
        case .unrecognized: unrecognized()
        case .otherDevice: text(.forbidden, "The certificate belongs to another device.")
        case .taken:
            text(.forbidden, "The device is enrolled by another profile; remove it at the server first.")
        case .malformed(let reason): text(.badRequest, reason)
        case .userChannel: text(.gone, "This server does not support user channels.")
        case .tooLarge: text(.contentTooLarge, "The request is too large.")
        case .notFound: text(.notFound, "There is no such file.")
        }
    }

    private func text(_ status: HTTPResponse.Status, _ reason: String) -> Response {
        Answer.bytes(Array((reason + "\n").utf8), type: "text/plain; charset=utf-8", status: status)
    }

    private func unrecognized() -> Response {
        let reason = "The device is not, or no longer, enrolled here."
        let refusal = Refusal.propertyList(code: Refusal.unrecognizedDevice, explanation: reason)
        guard let body = try? refusal.xml() else { return text(.forbidden, reason) }
        return Answer.bytes(body, type: Answer.propertyListType, status: .forbidden)
    }
}

/// Responses to devices.
enum Answer {
    static let propertyListType = "application/xml"

    /// 200 without a body: the message is accepted, and there is nothing to do.
    static var empty: Response { Response(status: .ok, headers: [.contentLength: "0"]) }

    /// The database is temporarily unavailable; the device tries again later.
    static var unavailable: Response {
        var response = Answer.bytes(
            Array("The server cannot use its database at this moment. Try again later.\n".utf8),
            type: "text/plain; charset=utf-8", status: .serviceUnavailable)
        response.headers[.retryAfter] = "\(StorageError.retryPause.components.seconds)"
        return response
    }

    static func bytes(_ bytes: [UInt8], type: String, status: HTTPResponse.Status = .ok) -> Response {
        Response(status: status, headers: [.contentType: type], body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
