// SPDX-License-Identifier: Apache-2.0
internal import CPostgreSQL
internal import Encodings
internal import Storage

/// The server's answer to one statement.
@safe final class ServerResult {
    private let result: OpaquePointer

    init(owning result: OpaquePointer) { unsafe self.result = unsafe result }

    deinit { unsafe PQclear(result) }

    /// Whether the statement succeeded.
    var isSuccess: Bool {
        let status = unsafe PQresultStatus(result)
        return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK
    }

    /// The command that the server performed, such as `COMMIT` or `ROLLBACK`.
    var command: String { unsafe String(cString: PQcmdStatus(result)) }

    /// How many rows the statement changed.
    var changedRows: Int { unsafe Int(String(cString: PQcmdTuples(result))) ?? 0 }

    /// Returns the error that the server reported.
    ///
    /// - Parameter isPreparation: whether the statement was only being prepared, so that the server had no bound values
    ///   yet.
    func report(isPreparation: Bool) -> ServerReport {
        ServerReport(
            state: field("C") ?? "unknown", text: isPreparation ? field("M") : nil,
            names: [("table", "t"), ("column", "c"), ("constraint", "n")].compactMap { kind, code in
                field(code).map { "\(kind) \($0)" }
            })
    }

    /// Returns a field of the error. The codes are those of the protocol ("Error and Notice Message Fields").
    private func field(_ code: Unicode.Scalar) -> String? {
        unsafe PQresultErrorField(result, Int32(code.value)).map { unsafe String(cString: $0) }
    }

    /// The names of the columns.
    var names: [String] { (0..<columns).map { unsafe String(cString: PQfname(result, $0)) } }

    private var columns: Int32 { unsafe PQnfields(result) }

    /// Returns the rows.
    ///
    /// - Parameter names: the names of the columns.
    func rows(names: [String]) throws(Failure) -> [Row] {
        let types = (0..<columns).map { unsafe PQftype(result, $0) }
        var rows: [Row] = []
        rows.reserveCapacity(Int(unsafe PQntuples(result)))
        for row in 0..<(unsafe PQntuples(result)) {
            var values: [SQL.Value] = []
            values.reserveCapacity(types.count)
            for (column, type) in types.enumerated() {
                values.append(try value(row: row, column: Int32(column), type: type))
            }
            rows.append(Row(names: names, values: values))
        }
        return rows
    }

    private func value(row: Int32, column: Int32, type: Oid) throws(Failure) -> SQL.Value {
        if unsafe PQgetisnull(result, row, column) == 1 { return .null }
        let length = Int(unsafe PQgetlength(result, row, column))
        let bytes = unsafe UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: length)
        return switch type {
        case DataType.int8, DataType.int4, DataType.int2: .integer(try Self.integer(unsafe bytes.bytes))
        case DataType.bool: .integer(unsafe bytes.first == UInt8(ascii: "t") ? 1 : 0)
        case DataType.bytea: .blob(try Self.blob(unsafe bytes.bytes))
        // The portable subset has no other types. The value is passed on as text, so code that expects an integer
        // refuses it.
        default: .text(unsafe String(decoding: bytes, as: UTF8.self))
        }
    }

    private static func integer(_ text: RawSpan) throws(Failure) -> Int64 {
        var value: Int64 = 0
        let isNegative = text.byteCount > 0 && text.byte(0) == UInt8(ascii: "-")
        for offset in (isNegative ? 1 : 0)..<text.byteCount {
            let digit = Int64(text.byte(offset)) - Int64(UInt8(ascii: "0"))
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (next, second) =
                isNegative
                ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            guard (0...9).contains(digit), !overflow, !second else { throw malformed }
            value = next
        }
        return value
    }

    /// The bytes of a value in the form `\x` and two hexadecimal digits for each byte.
    private static func blob(_ text: RawSpan) throws(Failure) -> [UInt8] {
        guard text.byteCount >= 2, text.byteCount.isMultiple(of: 2), text.byte(0) == UInt8(ascii: "\\") else {
            throw malformed
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.byteCount / 2 - 1)
        for offset in stride(from: 2, to: text.byteCount, by: 2) {
            guard let high = Hexadecimal.value(text.byte(offset)), let low = Hexadecimal.value(text.byte(offset + 1))
            else { throw malformed }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static var malformed: Failure { Failure(.lost, as: .unexpectedValue, "the server's answer is malformed") }
}

extension RawSpan {
    fileprivate func byte(_ offset: Int) -> UInt8 { unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self) }
}

/// The ids of the types that statements use (pg_type.dat).
enum DataType {
    static let bool: Oid = 16
    static let bytea: Oid = 17
    static let int8: Oid = 20
    static let int2: Oid = 21
    static let int4: Oid = 23
    static let text: Oid = 25
    /// The server determines the type from the context.
    static let inferred: Oid = 0
}
