// SPDX-License-Identifier: Apache-2.0

/// Reads the extension's id from a `.crx` file that Chromium has packed.
enum ChromiumPackage {
    private static let magic = Array("Cr24".utf8)
    /// The beginning of the header's last field, up to the id: the last field is the signed data (field 10000), and the
    /// signed data consists of the id (field 1), which has 16 bytes.
    private static let idField: [UInt8] = [0x82, 0xf1, 0x04, 0x12, 0x0a, 0x10]
    private static let idLength = 16
    private static let maximumHeader = 64 << 10

    /// Returns the id, with a letter from a to p for each half byte; nil if the file is not a package of version 3.
    static func id(of file: [UInt8]) -> String? {
        guard file.count >= 12, Array(file[..<4]) == magic, number(file[4..<8]) == 3 else { return nil }
        let count = number(file[8..<12])
        guard count <= maximumHeader, file.count - 12 >= count, count >= idField.count + idLength else { return nil }
        let end = file[(12 + count - idField.count - idLength)..<(12 + count)]
        guard end.starts(with: idField) else { return nil }
        let letters = end.suffix(idLength).flatMap { [$0 >> 4, $0 & 15] }.map { UInt8(ascii: "a") + $0 }
        return String(decoding: letters, as: UTF8.self)
    }

    /// Returns the number that these bytes encode, least significant byte first.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }
}
