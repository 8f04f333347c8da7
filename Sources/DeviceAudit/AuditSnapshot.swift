// SPDX-License-Identifier: Apache-2.0
package import Files
internal import FoundationEssentials
internal import Glibc
internal import JSON
internal import Processes

/// The state of a device at one moment, for comparison with a later snapshot.
package struct AuditSnapshot: Sendable, Equatable {
    /// What ``DeviceReader`` found. Both lists are sorted.
    package struct Content: Sendable, Equatable {
        package var items: [AuditItem]
        package var unread: [UnreadPlace]

        package init(items: [AuditItem], unread: [UnreadPlace]) { (self.items, self.unread) = (items, unread) }
    }

    /// Why a file cannot be read as a snapshot.
    package enum Damage: Error { case missing, notASnapshot, otherFormat, unreadable(String) }

    /// The kernel's random id of the boot during which the snapshot was taken.
    package let boot: String
    package let content: Content

    package init(boot: String, content: Content) { (self.boot, self.content) = (boot, content) }

    /// Takes a snapshot now; blocks.
    ///
    /// - Throws: ``FileError`` if the id of the boot cannot be read.
    package static func take(_ scope: AuditScope) throws(FileError) -> AuditSnapshot {
        let boot = try BootClock.id()
        var reader = DeviceReader(scope)
        return AuditSnapshot(boot: boot, content: reader.read())
    }

    // MARK: - The file

    /// The first line of a file; each line after it is an ``AuditItem`` or an ``UnreadPlace``.
    private struct Head: Codable {
        let format: Int
        let boot: String
        let items: Int
        let unread: Int
    }

    private static let format = 1
    private static let maximumBytes = 1 << 30
    private static let limits = JSONLimits(bytes: 64 << 10, depth: 4, values: 64)

    /// The file's content: JSON texts (RFC 8259), one in each line.
    package func lines() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let head = Head(
            format: Self.format, boot: boot, items: content.items.count, unread: content.unread.count)
        var bytes = Array(try encoder.encode(head)) + [Self.newline]
        for item in content.items { bytes += Array(try encoder.encode(item)) + [Self.newline] }
        for place in content.unread { bytes += Array(try encoder.encode(place)) + [Self.newline] }
        return bytes
    }

    private static let newline = UInt8(ascii: "\n")

    /// Reads a file that ``lines()`` wrote; blocks.
    ///
    /// - Throws: ``Damage``.
    package init(path: String) throws(Damage) {
        let bytes: [UInt8]?
        do throws(FileError) { bytes = try AtomicFile(path: path).read(limit: Self.maximumBytes) } catch {
            throw .unreadable("\(error)")
        }
        guard let bytes else { throw .missing }
        try self.init(lines: bytes)
    }

    /// Reads the content of such a file.
    ///
    /// - Throws: ``Damage``; also if a line is missing.
    package init(lines bytes: [UInt8]) throws(Damage) {
        let lines = bytes.split(separator: Self.newline, omittingEmptySubsequences: false)
        func read<Value: Decodable>(_ type: Value.Type, _ line: ArraySlice<UInt8>) throws(Damage) -> Value {
            do { return try JSONReader.read(type, from: Array(line), limits: Self.limits) } catch {
                throw .notASnapshot
            }
        }
        guard let first = lines.first else { throw .notASnapshot }
        let head = try read(Head.self, first)
        guard head.format == Self.format else { throw .otherFormat }
        // The last line ends with a newline, too. The two counts are checked before they are added, so that the sum
        // cannot overflow.
        guard (0...lines.count).contains(head.items), (0...lines.count).contains(head.unread),
            lines.count == head.items + head.unread + 2, lines.last == []
        else { throw .notASnapshot }
        var items: [AuditItem] = []
        for line in lines[1..<(1 + head.items)] { items.append(try read(AuditItem.self, line)) }
        var unread: [UnreadPlace] = []
        for line in lines[(1 + head.items)..<(lines.count - 1)] { unread.append(try read(UnreadPlace.self, line)) }
        self.init(boot: head.boot, content: Content(items: items, unread: unread))
    }
}
