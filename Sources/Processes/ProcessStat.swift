// SPDX-License-Identifier: Apache-2.0

/// The fields of `/proc/<pid>/stat`, by their numbers in proc_pid_stat(5).
///
/// A sign-out reads this file for every process of the machine before it notifies the apps. To save time, the content
/// is parsed as bytes.
struct ProcessStat {
    /// The fields from the third on.
    private let fields: [ArraySlice<UInt8>]

    /// The third field, a letter.
    var state: UInt8? { fields[0].first }

    /// Parses the content of the file; nil if fields are missing.
    init?(_ content: [UInt8]) {
        // The second field is the name in parentheses, which may contain any byte, even parentheses. The other fields
        // begin after the last closing parenthesis.
        guard let close = content.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        fields = content[(close + 1)...].split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        guard fields.count >= Self.exitCode - 2 else { return nil }
    }

    /// The number in a field; nil if the field does not contain a number of this type.
    ///
    /// - Parameter field: from 4 to 52, the last field that Linux 3.5 and later have.
    subscript<Number: FixedWidthInteger>(field: Int, as type: Number.Type) -> Number? {
        Number(String(decoding: fields[field - 3], as: UTF8.self))
    }

    private static let exitCode = 52
}
