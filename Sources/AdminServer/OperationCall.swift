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
    private let places: [String: ObjectName]

    /// - Parameter limit: the maximum size of the body, in bytes.
    /// - Throws: ``OperationRefusal`` if the path, the query, `If-Match` or `Idempotency-Key` is not acceptable, or if the
    ///   body is too large.
    init(
        _ operation: AdminOperation, by caller: AdminCaller, _ request: Request, places parameters: Parameters,
        limit: Int
    ) async throws {
        (self.operation, self.caller, self.request) = (operation, caller, request)
        places = try parameters.reduce(into: [:]) { places, parameter in
            let text = String(parameter.value).removingPercentEncoding
            // A byte that is not UTF-8 has been replaced by U+FFFD if it was not encoded.
            guard let name = text.flatMap(ObjectName.init), name.text.utf8.count <= Self.longestName,
                !parameter.value.unicodeScalars.contains("\u{fffd}")
            else {
                let (message, remedy) = AdminFailure.malformedName
                throw OperationRefusal("\(operation.engine).malformed", status: .badRequest, (message, remedy))
            }
            places[String(parameter.key)] = name
        }
        try OperationRefusal.check(queryOf: request, for: operation)
        condition = try EntityCondition(request, of: operation)
        body = try await Self.body(of: request, limit: limit)
        // Some clients send an object without members for want of a body.
        guard body.isEmpty || body == Array("{}".utf8) || operation.body() != nil else {
            throw OperationRefusal(
                "admin.body", status: .badRequest,
                ("The operation has no body.", "Leave the body out; docs/administration.md lists what each call takes.")
            )
        }
        idempotencyKey = try IdempotencyKey(operation, by: caller, request, body: body)
    }

    /// - Throws: ``OperationRefusal`` if the body is too large, is malformed, or has not arrived; `CancellationError`
    private static func body(of request: Request, limit: Int) async throws -> [UInt8] {
        let announced = request.headers[.contentLength].flatMap { Int($0) }
        guard announced.map({ $0 <= limit }) ?? true else { throw tooLarge(limit) }
        do {
            return Array(try await request.body.collect(upTo: limit).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw tooLarge(limit)
        } catch is CancellationError {
            throw CancellationError()
        } catch let error as HTTPError where error.status == .requestTimeout {
            throw OperationRefusal(
                "admin.request", status: .requestTimeout,
                ("The body has not arrived in time.", "Send the whole request at once."))
        } catch {
            // The client is gone, or the framing of the body is invalid.
            throw OperationRefusal(
                "admin.request", status: .badRequest,
                ("The body is malformed or incomplete.", "Send the length of the body, or correct chunks."))
        }
    }

    private static func tooLarge(_ limit: Int) -> OperationRefusal {
        OperationRefusal(
            "admin.tooLarge", status: .contentTooLarge,
            ("The body is larger than \(limit) bytes.", "Send less at once; docs/administration.md has the limits."))
    }

    /// Returns the value of a placeholder in the path, percent-decoded.
    ///
    /// - Throws: ``OperationRefusal`` if the path has no such placeholder.
    package func place(_ name: String) throws -> String { try self.name(name).text }

    /// Returns the name of an object in the path.
    ///
    /// - Throws: ``OperationRefusal`` if the path has no such placeholder.
    package func name(_ place: String) throws -> ObjectName {
        guard let name = places[place] else { throw OperationRefusal.malformed(operation) }
        return name
    }

    /// Returns a parameter of the query; nil if it is not there.
    ///
    /// - Throws: ``OperationRefusal`` if the parameter has another form than was declared.
    package func query<Value: LosslessStringConvertible>(
        _ parameter: QueryParameter, as type: Value.Type = Value.self
    ) throws -> Value? {
        guard let text = request.uri.queryParameters.get(parameter.name) else { return nil }
        // Swift's numbers may have a plus sign, too.
        let isNumber = text.utf8.drop { $0 == UInt8(ascii: "-") }.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }
        guard parameter.kind != .integer || isNumber, let value = Value(text) else {
            throw OperationRefusal.malformed(operation, "The parameter \(parameter.name) does not have its form.")
        }
        return value
    }

    /// The highest number of bytes of a name in a path.
    private static let longestName = 1024

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
