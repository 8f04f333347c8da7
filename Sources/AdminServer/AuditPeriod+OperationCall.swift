// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
package import Storage

extension AuditPeriod {
    /// Reads the period that a call asks for.
    ///
    /// - Throws: ``OperationRefusal`` unless the query has both ends of a period.
    package init(_ call: OperationCall) throws {
        guard let from = try call.query(.from, as: Int64.self), let to = try call.query(.to, as: Int64.self), from < to
        else { throw OperationRefusal.malformed(call.operation, "The query does not have both ends of a period.") }
        self.init(from: Timestamp(rawValue: from), to: Timestamp(rawValue: to))
    }
}

extension OperationCall {
    /// Returns how many lines of an audit log a call asks for.
    ///
    /// - Throws: ``OperationRefusal`` if the number is not possible.
    package func lineCount() throws -> Int {
        let count = try query(.count, as: Int.self) ?? QueryParameter.usualLineCount
        guard QueryParameter.lineCounts.contains(count) else {
            throw OperationRefusal.malformed(operation, "The parameter count is not 1 to 10000.")
        }
        return count
    }
}
