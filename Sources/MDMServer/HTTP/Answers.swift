// SPDX-License-Identifier: Apache-2.0
internal import DeviceManagement
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// Why a device's request is refused.
enum DeviceRefusal: Error, Equatable {
    /// The device showed no certificate: 401.
    case noCertificate
    /// The certificate is not that of a living enrolment: 403 with the code that makes the device drop its enrolment.
    case unrecognized
    /// The certificate belongs to another device than the message names: 403 without that code, since the device that
    /// owns the certificate must not lose its enrolment over it.
    case otherDevice
    /// The body is not what the protocol asks for: 400.
    case malformed(String)
    /// A message that this server does not serve: 410 for user channels, as the protocol says.
    case userChannel
    case tooLarge
    case notFound

    var response: Response {
        switch self {
        case .noCertificate:
            text(.unauthorized, "This server knows devices by their TLS client certificate; none came.")
        case .unrecognized: unrecognized()
        case .otherDevice: text(.forbidden, "The certificate belongs to another device.")
        case .malformed(let reason): text(.badRequest, reason)
        case .userChannel: text(.gone, "There is no user channel here.")
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

/// Answers to devices.
enum Answer {
    static let propertyListType = "application/xml"

    /// 200 without a body: understood, and nothing to do.
    static var empty: Response { Response(status: .ok, headers: [.contentLength: "0"]) }

    static func bytes(_ bytes: [UInt8], type: String, status: HTTPResponse.Status = .ok) -> Response {
        Response(status: status, headers: [.contentType: type], body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
