// SPDX-License-Identifier: Apache-2.0

/// Writes a zip archive whose files are not compressed (APPNOTE.TXT 6.3.9). An `.xpi` file is such an archive,
/// and a `.crx` file ends with one.
///
/// The archive contains no times and no owners, so equal files give equal bytes.
struct StoredArchive {
    private var files: [UInt8] = []
    private var directory: [UInt8] = []
    private var count: UInt16 = 0

    /// The earliest date that the format can express.
    private static let date: UInt16 = 1 << 5 | 1

    /// Makes the archive of an extension with one script.
    init(manifest: [UInt8], _ scriptName: String, _ script: [UInt8]) {
        add("manifest.json", manifest)
        add(scriptName, script)
    }

    /// Adds a file of less than 4 GiB.
    mutating func add(_ name: String, _ content: [UInt8]) {
        let offset = UInt32(files.count)
        // The fields that both records have: version needed, flags (names are UTF-8), method, time, date, checksum,
        // both sizes, lengths of name and extra field.
        let fields =
            Self.bytes(20 as UInt16) + Self.bytes(0x800 as UInt16) + Self.bytes(0 as UInt16) + Self.bytes(0 as UInt16)
            + Self.bytes(Self.date) + Self.bytes(Self.checksum(content)) + Self.bytes(UInt32(content.count))
            + Self.bytes(UInt32(content.count)) + Self.bytes(UInt16(name.utf8.count)) + Self.bytes(0 as UInt16)
        files += Self.bytes(0x0403_4b50 as UInt32) + fields + Array(name.utf8) + content
        // The entry in the central directory: the version that made it, the same fields, then the comment's length, the
        // disk, the attributes, and the file's offset.
        directory += Self.bytes(0x0201_4b50 as UInt32) + Self.bytes(20 as UInt16) + fields + Self.bytes(0 as UInt16)
        directory += Self.bytes(0 as UInt16) + Self.bytes(0 as UInt16) + Self.bytes(0 as UInt32) + Self.bytes(offset)
        directory += Array(name.utf8)
        count += 1
    }

    /// The whole archive.
    var bytes: [UInt8] {
        let end =
            Self.bytes(0x0605_4b50 as UInt32) + Self.bytes(0 as UInt16) + Self.bytes(0 as UInt16) + Self.bytes(count)
            + Self.bytes(count) + Self.bytes(UInt32(directory.count)) + Self.bytes(UInt32(files.count))
            + Self.bytes(0 as UInt16)
        return files + directory + end
    }

    /// Returns the bytes of a number, least significant byte first.
    static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        (0..<value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    /// The CRC-32 of the format.
    static func checksum(_ content: [UInt8]) -> UInt32 {
        ~content.reduce(UInt32.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xedb8_8320 : sum >> 1 }
        }
    }
}
