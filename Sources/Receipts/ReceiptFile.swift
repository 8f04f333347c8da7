// SPDX-License-Identifier: Apache-2.0
internal import OAuth

/// A device's receipts as one file, in the format of `baton receipt export`: key statements, receipts and anchors, one
/// per line.
package struct ReceiptFile: Sendable {
    /// One line of the file.
    package enum Entry: Sendable {
        case statement(KeyStatement)
        case receipt(Receipt, SignedLine)
        case anchor(Anchor, SignedLine)
        /// The line is invalid or was changed after it was written.
        case unreadable
        /// A later version of Baton wrote the line.
        case unknownVersion
    }

    /// The lines in the file's order, numbered from 1.
    package let entries: [(number: Int, entry: Entry)]

    package init(bytes: [UInt8]) {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // After the last line feed there is nothing, unless the file was truncated.
        if lines.last?.isEmpty == true { lines.removeLast() }
        entries = lines.enumerated().map { ($0.offset + 1, Self.entry(Array($0.element))) }
    }

    /// Only the receipts, in the file's order.
    package var receipts: [(receipt: Receipt, line: SignedLine)] {
        entries.compactMap { entry in
            guard case .receipt(let receipt, let line) = entry.entry else { return nil }
            return (receipt, line)
        }
    }

    private static func entry(_ bytes: [UInt8]) -> Entry {
        guard let line = SignedLine(bytes) else { return .unreadable }
        do {
            switch line.type {
            case LineType.receipt: return .receipt(try Receipt(line), line)
            case LineType.key: return .statement(try KeyStatement(line))
            case LineType.anchor: return .anchor(try Anchor(line), line)
            default: return .unreadable
            }
        } catch ReceiptFailure.unknownVersion {
            return .unknownVersion
        } catch {
            return .unreadable
        }
    }
}
