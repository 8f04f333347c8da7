// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import Encodings
internal import FoundationEssentials
internal import JSON

/// The description of a backup, at the beginning of its file.
package struct BackupManifest: Codable, Sendable, Equatable {
    /// The version of the program that wrote the backup.
    package let program: String
    /// When the backup began, in milliseconds since 1970.
    package let createdAt: Int64
    package let databases: [Database]

    package struct Database: Codable, Sendable, Equatable {
        package let name: String
        /// The kind of database that the rows were read from.
        package let engine: Catalogue
        /// The applied steps of the schema, in order.
        package let steps: [RecordedStep]
        package let tables: [Table]

        package var rows: Int { tables.reduce(0) { $0 + $1.rows } }
    }

    package struct Table: Codable, Sendable, Equatable {
        package let name: String
        package let rows: Int
        /// The number of bytes of the table's rows in the file.
        let bytes: Int
        /// SHA-256 of these bytes, in hexadecimal digits.
        let sha256: String
    }
}

/// The bytes of the manifest in a file. The line before the manifest identifies the format and contains the manifest's
/// length and SHA-256. A newline follows the manifest, so that `head -n 2` prints that line and the manifest.
enum ManifestCoding {
    private static let format = "baton-backup 1"
    static let maximumLine = 128
    private static let maximumManifest = 4 << 20

    static func bytes(_ manifest: BackupManifest) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let content = Array(try encoder.encode(manifest))
        return Array("\(format) \(content.count) \(Hexadecimal.text(SHA256.hash(data: content)))\n".utf8) + content + [
            newline
        ]
    }

    /// The length and the digest that a file's first line states.
    struct Head {
        let lineLength: Int
        let length: Int
        fileprivate let sha256: String

        /// The byte offset of the first row in the file.
        var end: Int { lineLength + length + 1 }
    }

    /// Reads the first line from the file's beginning.
    ///
    /// - Throws: ``TransferError`` `notABackup`, `newer`, `damaged`
    static func head(_ beginning: [UInt8]) throws -> Head {
        guard beginning.starts(with: "baton-backup ".utf8) else {
            throw TransferError(.notABackup, "the file is not a backup of Baton")
        }
        guard beginning.starts(with: (format + " ").utf8) else {
            throw TransferError(
                .newer, "the backup has a format that this program does not know; use the newer program")
        }
        guard let end = beginning.prefix(maximumLine).firstIndex(of: newline) else { throw damagedManifest }
        let words = String(decoding: beginning[..<end], as: UTF8.self).split(
            separator: " ", omittingEmptySubsequences: false)
        guard words.count == 4, let length = Int(words[2]), String(length) == words[2],
            (1...maximumManifest).contains(length)
        else { throw damagedManifest }
        return Head(lineLength: end + 1, length: length, sha256: String(words[3]))
    }

    /// Decodes the manifest.
    ///
    /// - Parameter bytes: the manifest and the newline after it.
    /// - Throws: ``TransferError`` `damaged`
    static func manifest(_ bytes: [UInt8], _ head: Head) throws -> BackupManifest {
        guard bytes.count == head.length + 1, bytes.last == newline,
            Hexadecimal.text(SHA256.hash(data: bytes.dropLast())) == head.sha256,
            let manifest = try? JSONReader.read(
                BackupManifest.self, from: bytes.dropLast(),
                limits: JSONLimits(bytes: maximumManifest, values: 100_000))
        else { throw damagedManifest }
        let numbers = manifest.databases.flatMap(\.tables).flatMap { [$0.rows, $0.bytes] }
        guard numbers.allSatisfy({ (0...(1 << 50)).contains($0) }) else { throw damagedManifest }
        return manifest
    }

    private static let newline = UInt8(ascii: "\n")
    private static let damagedManifest = TransferError(.damaged, "the beginning of the backup was cut off or changed")
}
