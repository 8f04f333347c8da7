// SPDX-License-Identifier: Apache-2.0
package import AdminAPI
internal import Foundation
package import Hummingbird
internal import NIOCore
package import Storage

/// A call of an operation as it arrived. Nothing that it names has been looked up yet.
package struct OperationCall: Sendable {
    package let operation: AdminOperation
    package let caller: AdminCaller
    package let request: Request
    /// The condition in `If-Match`; nil without one.
    package let condition: EntityCondition?
    /// The key in `Idempotency-Key`; nil without one.
    package let idempotencyKey: IdempotencyKey?
    /// The whole body.
    let body: [UInt8]
    private let places: [String: String]

    /// - Parameter limit: the maximum size of the body, in bytes.
    /// - Throws: ``OperationRefusal`` if the path, `If-Match` or `Idempotency-Key` is not acceptable, or if the body is too
    ///   large.
    init(
        _ operation: AdminOperation, by caller: AdminCaller, _ request: Request, _ parameters: Parameters, limit: Int
    ) async throws {
        (self.operation, self.caller, self.request) = (operation, caller, request)
        places = try parameters.reduce(into: [:]) { places, parameter in
            guard let text = String(parameter.value).removingPercentEncoding, Self.isName(text) else {
                throw OperationRefusal.malformed(operation, "The path contains a name that no object can have.")
            }
            places[String(parameter.key)] = text
        }
        condition = try EntityCondition(request, of: operation)
        body = try await Self.body(of: request, limit: limit)
        idempotencyKey = try IdempotencyKey(operation, by: caller, request, body: body)
    }

    private static func body(of request: Request, limit: Int) async throws -> [UInt8] {
        do {
            return Array(try await request.body.collect(upTo: limit).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw OperationRefusal(
                "admin.tooLarge", .contentTooLarge,
                ("The body is larger than \(limit) bytes.", "Send less at once; docs/administration.md has the limits."))
        }
    }

    /// Returns the value of a placeholder in the path, percent-decoded.
    ///
    /// - Throws: ``OperationRefusal`` if the path has no such placeholder.
    package func place(_ name: String) throws -> String {
        guard let text = places[name] else { throw OperationRefusal.malformed(operation) }
        return text
    }

    /// The value of a placeholder in the path; nil if the path has no such placeholder.
    package subscript(place name: String) -> String? { places[name] }

    /// Returns a parameter of the query; nil if it is not there.
    ///
    /// - Throws: ``OperationRefusal`` if the parameter has another form than was declared.
    package func query<Value: LosslessStringConvertible>(
        _ parameter: QueryParameter, as type: Value.Type = Value.self
    ) throws -> Value? {
        guard let text = request.uri.queryParameters.get(parameter.name) else { return nil }
        guard let value = Value(text) else {
            throw OperationRefusal.malformed(operation, "The parameter \(parameter.name) does not have its form.")
        }
        return value
    }

    /// Whether a text can be a name or an id in a path: at most 512 bytes without control characters.
    private static func isName(_ text: String) -> Bool {
        (1...512).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    // MARK: - In the transaction of the act

    /// Checks, in the transaction of an act in the identity platform's database, that the caller may still call the
    /// operation, and that the call is not carried out a second time.
    ///
    /// - Throws: ``OperationRefusal``, ``StorageError``
    package func confirm(in connection: any Connection, at now: Timestamp) throws {
        try caller.confirm(operation, in: connection)
        try idempotencyKey.map { try IdempotencyKeys.begin($0, at: now, in: connection) }
    }

    /// Does the same as ``confirm(in:at:)`` in the transaction of an act in another database.
    ///
    /// - Throws: ``OperationRefusal``, ``StorageError``
    package func confirmApart(in connection: any Connection, at now: Timestamp) throws {
        try caller.confirmApart(operation)
        try idempotencyKey.map { try IdempotencyKeys.begin($0, at: now, in: connection) }
    }
}
