// SPDX-License-Identifier: Apache-2.0
internal import Encodings

extension String {
    /// Creates a printable text for a name that the kernel reports, such as the name of a file.
    ///
    /// Bytes that are not UTF-8, control characters and backslashes become `\xHH`. Two different names therefore never
    /// have the same text, and the text is safe to print.
    package init(printableName name: some Collection<UInt8>) {
        let text = String(decoding: name, as: UTF8.self)
        let isPlain = name.allSatisfy { $0 >= 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "\\") }
        // A name that is not UTF-8 does not survive the conversion.
        guard !isPlain || !text.utf8.elementsEqual(name) else {
            self = text
            return
        }
        self = name.reduce(into: "") { path, byte in
            if (0x20..<0x7f).contains(byte), byte != UInt8(ascii: "\\") {
                path.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                path += "\\x" + Hexadecimal.text([byte])
            }
        }
    }
}
