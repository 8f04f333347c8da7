// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials

/// Rows of text in aligned columns.
package enum TextTable {
    /// Formats a time in milliseconds since 1970 (RFC 3339).
    package static func time(_ milliseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000).formatted(.iso8601)
    }

    package static func lines(_ header: [String], _ rows: [[String]]) -> [String] {
        guard !rows.isEmpty else { return ["none"] }
        let rows = rows.map { $0.map { $0.isEmpty ? "-" : printable($0) } }
        let widths = header.indices.map { column in
            ([header] + rows).map { $0[column].count }.max() ?? 0
        }
        return ([header] + rows).map { row in
            let cells = row.enumerated().map { column, text in
                column == row.count - 1 ? text : text + String(repeating: " ", count: widths[column] - text.count)
            }
            return cells.joined(separator: "  ")
        }
    }

    /// Makes text safe for a terminal, as ``printable(_:)`` does, and keeps its lines.
    package static func printableLines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { printable(String($0)) }
            .joined(separator: "\n")
    }

    /// Makes text safe for a terminal: control characters and characters that change the text direction become their
    /// numbers.
    package static func printable(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { output, scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .unassigned, .lineSeparator, .paragraphSeparator:
                output += "\\u{\(String(scalar.value, radix: 16))}"
            default: output.unicodeScalars.append(scalar)
            }
        }
    }
}
