// SPDX-License-Identifier: Apache-2.0
package import HTTPTypes
package import Hummingbird
internal import NIOCore
package import OAuth

extension Response {
    /// Creates a response with one JSON object that must not be cached.
    package init(status: HTTPResponse.Status = .ok, json members: MembersWriter) {
        self.init(status: status, json: members.bytes)
    }

    /// Creates a response with JSON text that must not be cached (RFC 6749 section 5.1).
    package init(status: HTTPResponse.Status = .ok, json bytes: [UInt8]) {
        self.init(
            status: status,
            headers: [
                .contentType: "application/json; charset=utf-8", .cacheControl: "no-store", .pragma: "no-cache",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
