// SPDX-License-Identifier: Apache-2.0
import Crypto
import CryptoExtras
import Foundation

/// An attack on a copy of the device's state: tries every key in the copy on everything in it that may be sealed.
struct KeyRing {
    /// Bytes that may be sealed: a file, or a decoded base64 or hexadecimal text in a file.
    private struct Blob: Hashable {
        let bytes: [UInt8]
        let file: String
    }

    /// Symmetric keys: everything of a key's length, and what is easily derived from a key file.
    private var keys: Set<[UInt8]> = []
    private var privateKeys: [_RSA.Encryption.PrivateKey] = []
    private var blobs: Set<Blob> = []
    /// The epochs that the journal names. A session's data is sealed with its epoch as associated data.
    private var epochs: Set<[UInt8]> = []

    /// Reads a copy of the state, except the packages from the MDM.
    init(of folder: String) throws {
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder)
        where !name.hasPrefix("management/apps/") {
            let path = folder + "/" + name
            let facts = try FileManager.default.attributesOfItem(atPath: path)
            guard facts[.type] as? FileAttributeType == .typeRegular else { continue }
            add([UInt8](try Data(contentsOf: URL(filePath: path))), of: name)
        }
    }

    /// Adds a secret, as if it had been found in the copy.
    mutating func add(key: [UInt8]) { keys.insert(key) }

    /// Whether the copy contains these bytes, raw or encoded.
    func holds(_ bytes: [UInt8]) -> Bool {
        keys.contains(bytes) || blobs.contains { Data($0.bytes).range(of: Data(bytes)) != nil }
    }

    /// Everything that can be opened. Keys in opened content are tried on the rest.
    func openings() -> Set<[UInt8]> {
        var ring = self
        var opened: Set<[UInt8]> = []
        while true {
            let new = ring.openedOnce().subtracting(opened)
            guard !new.isEmpty else { return opened }
            opened.formUnion(new)
            for content in new { ring.add(content, of: "keys/opened") }
        }
    }

    private mutating func add(_ content: [UInt8], of file: String) {
        let text = String(decoding: content, as: UTF8.self)
        // Receipts and the MDM's files contain thousands of hashes, which are not keys.
        let mayHoldKeys = !file.hasPrefix("receipts/") && !file.hasPrefix("management/")
        for piece in [content] + Self.words(text).flatMap(Self.decoded) {
            blobs.insert(Blob(bytes: piece, file: file))
            if mayHoldKeys, [16, 24, 32].contains(piece.count) { keys.insert(piece) }
        }
        if file.hasPrefix("keys/") { keys.formUnion([Array(SHA256.hash(data: content)), Self.sealing(content)]) }
        if file == "journal" { epochs = Set(Self.words(text).filter { $0.contains(".") }.map { Array($0.utf8) }) }
        if let key = try? _RSA.Encryption.PrivateKey(pemRepresentation: text) { privateKeys.append(key) }
        if let key = try? P256.Signing.PrivateKey(pemRepresentation: text) {
            keys.insert([UInt8](key.rawRepresentation))
        }
    }

    /// Derives the key for sealed files from the sealing key, as the broker does.
    private static func sealing(_ content: [UInt8]) -> [UInt8] {
        let derived = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: content), info: Array("baton sealed file".utf8), outputByteCount: 32)
        return unsafe derived.withUnsafeBytes { unsafe [UInt8]($0) }
    }

    private func openedOnce() -> Set<[UInt8]> {
        var opened: Set<[UInt8]> = []
        for blob in blobs {
            for key in privateKeys where blob.bytes.count == 256 {
                for padding in [_RSA.Encryption.Padding.PKCS1_OAEP, .PKCS1_OAEP_SHA256] {
                    if let plain = try? key.decrypt(blob.bytes, padding: padding) { opened.insert([UInt8](plain)) }
                }
            }
            for key in keys { opened.formUnion(openings(of: blob, under: SymmetricKey(data: key))) }
        }
        return opened
    }

    private func openings(of blob: Blob, under key: SymmetricKey) -> [[UInt8]] {
        var opened: [[UInt8]] = []
        if blob.bytes.count == 40, let plain = try? AES.KeyWrap.unwrap(blob.bytes, using: key) {
            opened.append(unsafe plain.withUnsafeBytes { unsafe [UInt8]($0) })
        }
        // The minimum: a nonce, a short key and a tag.
        guard blob.bytes.count >= 12 + 16 + 16, let box = try? AES.GCM.SealedBox(combined: blob.bytes) else {
            return opened
        }
        let names = [blob.file, URL(filePath: blob.file).lastPathComponent].map { Array($0.utf8) }
        for context in [[]] + names + epochs {
            if let plain = try? AES.GCM.open(box, using: key, authenticating: context) { opened.append([UInt8](plain)) }
        }
        return opened
    }

    /// Decodes a word as base64 and as hexadecimal, if it is long enough for a key.
    private static func decoded(_ word: String) -> [[UInt8]] {
        guard word.utf8.count >= 22 else { return [] }
        let standard = word.utf8.filter { $0 != UInt8(ascii: "=") }.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - standard.count % 4) % 4)
        var decoded = [Data(base64Encoded: Data(standard + padding))].compactMap { $0.map { [UInt8]($0) } }
        let digits = word.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        if digits.count == word.utf8.count, digits.count % 2 == 0 {
            decoded.append(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) })
        }
        return decoded
    }

    private static func words(_ text: String) -> [String] {
        let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=.".utf8)
        return text.utf8.split { !letters.contains($0) }.map { String(decoding: $0, as: UTF8.self) }
    }
}
