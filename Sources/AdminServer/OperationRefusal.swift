// SPDX-License-Identifier: Apache-2.0
package import AdminAPI
package import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// An error that refuses a call of administration. Its message names no person.
package protocol OperationRefusing: Error {
    var status: HTTPResponse.Status { get }
    var failure: AdminFailure { get }
    /// Header fields of the response, apart from those that every response has.
    var headers: HTTPFields { get }
}

extension OperationRefusing {
    package var headers: HTTPFields { [:] }
}

extension Response {
    /// Returns the response to a refused call.
    package init(_ refusal: any OperationRefusing) {
        do {
            self.init(status: refusal.status, json: try AdminAnswer.json(refusal.failure), refusal.headers)
        } catch {
            self.init(status: .internalServerError)
        }
    }

    /// Returns a response with JSON.
    package init(status: HTTPResponse.Status, json: [UInt8], _ fields: HTTPFields = [:]) {
        var headers = fields
        headers[.contentType] = "application/json"
        self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: json)))
    }
}

/// A refusal that does not depend on the engine that serves the operation.
package struct OperationRefusal: OperationRefusing {
    package let status: HTTPResponse.Status
    package let failure: AdminFailure
    package let headers: HTTPFields

    /// - Parameter changed: the names of the members that have changed, if this is why the call is refused.
    package init(
        _ code: String, status: HTTPResponse.Status, _ words: AdminFailure.Words, headers: HTTPFields = [:],
        changed: [String]? = nil
    ) {
        (self.status, self.headers) = (status, headers)
        failure = AdminFailure(code: code, message: words.message, remedy: words.remedy, changed: changed)
    }

    /// The refusal of a body, a query or a path that cannot be read.
    package static func malformed(
        _ operation: AdminOperation, _ message: String? = nil, remedy: String? = nil
    ) -> OperationRefusal {
        let general = AdminFailure.malformedBody
        return OperationRefusal(
            "\(operation.engine).malformed", status: .badRequest,
            (message ?? general.message, remedy ?? general.remedy))
    }

    /// The answer to an error that no refusal describes.
    static func fault(_ operation: AdminOperation) -> OperationRefusal {
        OperationRefusal("\(operation.engine).fault", status: .internalServerError, AdminFailure.fault)
    }
}
