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
