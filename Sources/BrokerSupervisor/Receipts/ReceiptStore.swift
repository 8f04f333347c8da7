// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
package import Files
internal import OAuth
package import Receipts

/// The files of the device's receipts: the chain in segments of bounded size, the chain's end, the statements about the
/// chain's keys, and the server's countersignatures (docs/receipts.md).
///
/// One process writes; others may read at any time. Every call blocks on the disk.
package struct ReceiptStore: Sendable {
    let directory: Directory
    /// The size of a segment in bytes, and the maximum number of segments. The oldest segments are removed with their
    /// receipts.
    private let segmentBytes: Int
    private let maximumSegments: Int
    /// For how many seconds receipts are kept; nil if only the number of segments limits them.
    private let period: Int?

    package init(
        directory: Directory, segmentBytes: Int = 256 << 10, maximumSegments: Int = 64, period: Duration? = nil
    ) {
        self.directory = directory
        self.segmentBytes = segmentBytes
        self.maximumSegments = maximumSegments
        self.period = period.map { Int($0.components.seconds) }
    }

    /// The maximum number of countersignatures that are kept; if there are more, the oldest are dropped.
    private static let maximumAnchors = 64

    /// A segment's receipts cover at most ``period`` divided by this number, so that each receipt is removed soon after
    /// its period is over.
    private static let segmentsInPeriod = 32

    /// The maximum length of a segment: a line that would exceed the segment's size begins a new segment.
    private var pieceLimit: Int { segmentBytes + SignedLine.maximum }

    private enum Name {
        static let end = "end.json"
        static let keys = "keys.jsonl"
        static let anchors = "anchors.jsonl"
        static let segment = "chain-"
        static let damaged = "damaged-"
    }

    /// Returns the chain's end; nil before anything was written. Before the first receipt is acknowledged, the end's
    /// `sequence` is 0.
    ///
    /// - Throws: ``ReceiptsDamaged``, ``FileError``.
    package func end() throws -> ChainEnd? {
        guard let bytes = try directory.file(Name.end).read(limit: 4096) else {
            guard try segments().isEmpty else { throw ReceiptsDamaged(cause: .endMissing, end: nil) }
            return nil
        }
        guard let end = try? JSONCodec.read(ChainEnd.self, bytes), end.sequence >= 0, end.bytes >= 0 else {
            throw ReceiptsDamaged(cause: .endUnreadable, end: nil)
        }
        if end.isAfterDamage || end.isBeforeFirst { return end }
        let piece = try directory.file(end.segment).read(limit: pieceLimit) ?? []
        let acknowledged = piece.prefix(end.bytes)
        guard acknowledged.count == end.bytes, acknowledged.last == Self.lineFeed,
            let last = acknowledged.dropLast().split(separator: Self.lineFeed).last,
            let line = SignedLine(Array(last)), line.hash == end.hash
        else { throw ReceiptsDamaged(cause: .lineDamaged, end: end) }
        return end
    }

    /// Appends a line after the chain's end, durably.
    ///
    /// Before a device's first line, the end of the empty chain is written. If power fails before the line is
    /// acknowledged, the line therefore counts as unacknowledged and not as damaged.
    package func append(_ line: SignedLine, _ receipt: Receipt, after end: ChainEnd?) throws {
        let content = line.bytes + [Self.lineFeed]
        var (segment, length) = (Self.segmentName(receipt.place.sequence), 0)
        if let end, !end.isAfterDamage, end.bytes + content.count <= segmentBytes,
            try !isComplete(end, at: receipt.times.finished)
        {
            (segment, length) = (end.segment, end.bytes)
        }
        if end == nil {
            try write(.beginning(key: receipt.key, segment: segment))
            Failpoint.receiptEndBegun.reach()
        }
        try AppendedFile(path: directory.path + "/" + segment).append(content, after: length)
        if length == 0 { try directory.sync() }
        Failpoint.receiptLineWritten.reach()
        try write(
            ChainEnd(
                sequence: receipt.place.sequence, hash: line.hash, ended: receipt.ended, key: receipt.key,
                segment: segment, bytes: length + content.count))
        Failpoint.receiptAcknowledged.reach()
        let surplus = try segments().dropLast(maximumSegments)
        for old in surplus { try directory.file(old).remove() }
        try removeExpired()
    }

    /// Whether the chain must continue in a new segment, because its last segment begins too long before this time.
    private func isComplete(_ end: ChainEnd, at time: Int) throws -> Bool {
        guard let period, !end.isBeforeFirst, let first = try finished(in: end.segment).first else { return false }
        return time - first >= period / Self.segmentsInPeriod
    }

    /// Removes the segments whose receipts are all older than ``period``. The last segment is kept, because the chain
    /// continues after its last line.
    ///
    /// The time of the server's newest countersignature counts as the current time, so a device whose clock was set
    /// forward loses no receipts. Without a countersignature, nothing is removed. A segment whose last line is damaged
    /// is kept, and so are all later segments.
    package func removeExpired() throws {
        guard let period, let now = try lines(Name.anchors).compactMap({ try? Anchor($0).at }).max() else { return }
        for segment in try segments().dropLast() {
            guard let last = try finished(in: segment).last, last < now - period else { return }
            try directory.file(segment).remove()
        }
    }

    /// The times at which the hand-overs of a segment's first and last receipts were finished; empty if one of the
    /// receipts cannot be read.
    private func finished(in segment: String) throws -> [Int] {
        let content = try directory.file(segment).read(limit: pieceLimit) ?? []
        let pieces = content.split(separator: Self.lineFeed)
        let ends = [pieces.first, pieces.last].compactMap { $0.flatMap { SignedLine(Array($0)) } }
        let times = ends.compactMap { try? Receipt($0).times.finished }
        return times.count == 2 ? times : []
    }

    /// Writes the chain's end.
    func write(_ end: ChainEnd) throws { try directory.file(Name.end).replace(with: try JSONCodec.bytes(end)) }

    /// Moves a damaged chain aside, so that it is preserved unchanged and the next receipt can be written.
    ///
    /// - Returns: the folder's name.
    func moveAside(at time: Int, withStatements: Bool) throws -> String {
        var name = Name.damaged + String(time)
        while try directory.names().contains(name) { name += "x" }
        let folder = directory.appending(name)
        try folder.make(mode: 0o700)
        var files = try segments() + [Name.end, Name.anchors]
        if withStatements { files.append(Name.keys) }
        for file in files { try directory.file(file).move(to: folder.path + "/" + file) }
        try folder.sync()
        try directory.sync()
        return name
    }

    /// The folders of damaged chains that have not been removed.
    func movedAside() throws -> [String] { try directory.names().filter { $0.hasPrefix(Name.damaged) }.sorted() }

    /// When damage was last found, in seconds since 1970; nil once the damaged chains that were moved aside have been
    /// removed.
    package func damageFound() throws -> Int? {
        try movedAside().compactMap { Int($0.dropFirst(Name.damaged.count).prefix { $0.isNumber }) }.max()
    }

    /// Returns everything that a verifier elsewhere needs, as lines: statements, acknowledged receipts, anchors.
    package func export() throws -> [UInt8] {
        let end = try? end()
        var content = try directory.file(Name.keys).read() ?? []
        for segment in try segments() {
            let piece = try directory.file(segment).read(limit: pieceLimit) ?? []
            content += segment == end?.segment ? Array(piece.prefix(end?.bytes ?? 0)) : piece
        }
        return content + (try directory.file(Name.anchors).read() ?? [])
    }

    private func segments() throws -> [String] { try directory.names().filter { $0.hasPrefix(Name.segment) } }

    private static func segmentName(_ sequence: Int) -> String {
        let digits = String(sequence)
        return Name.segment + String(repeating: "0", count: max(0, 12 - digits.count)) + digits + ".jsonl"
    }

    static let lineFeed = UInt8(ascii: "\n")

    // MARK: - Statements and anchors

    /// The device's statements about its receipt keys.
    func statements() throws -> [KeyStatement] {
        try lines(Name.keys).compactMap { try? KeyStatement($0) }
    }

    func add(statement line: SignedLine) throws { try add(line, to: Name.keys, keeping: .max) }

    /// The newest countersignature for the chain that this key signed; nil if there is none.
    package func anchor(of key: String) throws -> Anchor? { try newestAnchor(of: key)?.anchor }

    /// The line of the newest countersignature for the chain that this key signed; nil if there is none.
    func anchorLine(of key: String) throws -> SignedLine? { try newestAnchor(of: key)?.line }

    /// The newest countersignature for the chain that this key signed. A line that cannot be read does not count, so
    /// the newest receipt is sent to the server once more.
    private func newestAnchor(of key: String) throws -> (anchor: Anchor, line: SignedLine)? {
        try lines(Name.anchors).compactMap { line in (try? Anchor(line)).map { (anchor: $0, line: line) } }
            .filter { $0.anchor.key == key }.max { $0.anchor.sequence < $1.anchor.sequence }
    }

    package func add(anchor line: SignedLine) throws { try add(line, to: Name.anchors, keeping: Self.maximumAnchors) }

    private func lines(_ name: String) throws -> [SignedLine] {
        try pieces(name).compactMap { SignedLine(Array($0)) }
    }

    private func pieces(_ name: String) throws -> [ArraySlice<UInt8>] {
        (try directory.file(name).read(limit: 8 << 20) ?? []).split(separator: Self.lineFeed)
    }

    /// Adds a line to a file. Lines of the file that cannot be read are kept, so that a verifier finds the damage.
    private func add(_ line: SignedLine, to name: String, keeping maximum: Int) throws {
        let kept = try (pieces(name) + [line.bytes[...]]).suffix(maximum)
        try directory.file(name).replace(with: kept.flatMap { $0 + [Self.lineFeed] })
    }
}
