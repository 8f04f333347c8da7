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

    /// Where an audit looked. Two snapshots can be compared only if their scopes are the same.
    package struct Scope: Sendable, Codable, Equatable {
        package let state: String
        package let profiles: String?
        /// The numbers of the session users; sorted.
        package let users: [UInt32]
        /// The folders that were not read; sorted.
        package let skipped: [String]

        package init(state: String, profiles: String?, users: [UInt32], skipped: [String]) {
            (self.state, self.profiles, self.users, self.skipped) = (state, profiles, users, skipped)
        }
    }

    /// Why a file cannot be read as a snapshot.
    package enum Damage: Error { case missing, notASnapshot, otherFormat, unreadable(String) }

    /// The kernel's random id of the boot during which the snapshot was taken.
    package let boot: String
    package let scope: Scope
    package let content: Content

    package init(boot: String, scope: Scope, content: Content) {
        (self.boot, self.scope, self.content) = (boot, scope, content)
    }

    /// Takes a snapshot now; blocks.
    ///
    /// - Throws: ``FileError`` if the id of the boot cannot be read.
    package static func take(_ scope: AuditScope) throws(FileError) -> AuditSnapshot {
        let boot = try BootClock.id()
        var reader = DeviceReader(scope)
        return AuditSnapshot(boot: boot, scope: scope.record, content: reader.read())
    }

    // MARK: - The file

    /// The first line of a file; each line after it is an ``AuditItem`` or an ``UnreadPlace``.
    private struct Head: Codable {
        let format: Int
        let boot: String
        let scope: Scope
        let items: Int
        let unread: Int
    }

    /// The part of the first line that every format has.
    private struct Format: Decodable { let format: Int }

    private static let format = 2
    private static let maximumBytes = 1 << 30
    private static let limits = JSONLimits(bytes: 64 << 10, depth: 4, values: 64)
    /// The first line contains values from the command line, whose length is limited.
    private static let headLimits = JSONLimits(bytes: 4 << 20, depth: 4, values: 100_000)

    /// The file's content: JSON texts (RFC 8259), one in each line.
    package func lines() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let head = Head(
            format: Self.format, boot: boot, scope: scope, items: content.items.count, unread: content.unread.count)
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
        func read<Value: Decodable>(
            _ type: Value.Type, _ line: ArraySlice<UInt8>, within limits: JSONLimits = Self.limits
        ) throws(Damage) -> Value {
            do { return try JSONReader.read(type, from: Array(line), limits: limits) } catch { throw .notASnapshot }
        }
        guard let first = lines.first else { throw .notASnapshot }
        guard try read(Format.self, first, within: Self.headLimits).format == Self.format else { throw .otherFormat }
        let head = try read(Head.self, first, within: Self.headLimits)
        // The last line ends with a newline, too. The two counts are checked before they are added, so that the sum
        // cannot overflow.
        guard (0...lines.count).contains(head.items), (0...lines.count).contains(head.unread),
            lines.count == head.items + head.unread + 2, lines.last == []
        else { throw .notASnapshot }
        var items: [AuditItem] = []
        for line in lines[1..<(1 + head.items)] { items.append(try read(AuditItem.self, line)) }
        var unread: [UnreadPlace] = []
        for line in lines[(1 + head.items)..<(lines.count - 1)] { unread.append(try read(UnreadPlace.self, line)) }
        self.init(boot: head.boot, scope: head.scope, content: Content(items: items, unread: unread))
    }
}
