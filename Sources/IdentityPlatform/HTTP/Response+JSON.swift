// SPDX-License-Identifier: Apache-2.0
package import HTTPTypes
package import Hummingbird
internal import NIOCore
package import OAuth

extension Response {
    /// A response whose body is one JSON object that nobody may keep.
    package init(status: HTTPResponse.Status = .ok, json members: MembersWriter) {
        self.init(status: status, json: members.bytes)
    }

    /// A response whose body is JSON text that nobody may keep (RFC 6749 section 5.1).
    package init(status: HTTPResponse.Status = .ok, json bytes: [UInt8]) {
        self.init(
            status: status,
            headers: [
                .contentType: "application/json; charset=utf-8", .cacheControl: "no-store", .pragma: "no-cache",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

extension HTTPField.Name {
    static let pragma = HTTPField.Name.constant("Pragma")
    static let referrerPolicy = HTTPField.Name.constant("Referrer-Policy")
    static let clientRequestID = HTTPField.Name.constant("client-request-id")
    static let frameOptions = HTTPField.Name.constant("X-Frame-Options")
    static let retryAfter = HTTPField.Name.constant("Retry-After")

    /// The names here are tokens by their spelling, so the fallback is never used.
    private static func constant(_ name: String) -> HTTPField.Name { HTTPField.Name(name) ?? .contentType }
}
