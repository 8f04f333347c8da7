// SPDX-License-Identifier: Apache-2.0

/// The encodings of a canary.
enum Encodings {
    /// Returns each encoding: its name, and the parts of the canary with all forms of each part. `raw` is first.
    static func all(of canary: Canary) -> [(name: String, parts: [[[UInt8]]])] {
        let raw = canary.raw
        var found = [(name: "raw", parts: [[raw]])]
        for offset in 0..<3 {
            let plain = base64(raw, at: offset, last: "+/")
            let safe = base64(raw, at: offset, last: "-_")
            found.append(("base64@\(offset)", [[plain]]))
            if safe != plain { found.append(("base64url@\(offset)", [[safe]])) }
        }
        let digits = raw.hexadecimal
        found.append(("hex", [[Array(digits.utf8), Array(digits.uppercased().utf8)]]))
        guard case .text(let text) = canary else { return found }
        found.append(("utf-16le", [[text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }]]))
        // Leading zero bytes are not part of the needle.
        let bigEndian = text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        found.append(("utf-16be", [[Array(bigEndian.drop { $0 == 0 })]]))
        found.append(("percent", raw.map(percent)))
        found.append(("json", text.unicodeScalars.map(json)))
        found.append(("html", text.unicodeScalars.map(html)))
        return found
    }

    /// The base64 characters of `data` that do not depend on the bytes before and after it. `data` begins `offset`
    /// bytes (0 to 2) after the beginning of a group of three.
    private static func base64(_ data: [UInt8], at offset: Int, last: String) -> [UInt8] {
        let alphabet = Array(
            ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last).utf8)
        let bytes = [UInt8](repeating: 0, count: offset) + data
        let sextets = [0, 2, 3][offset]..<bytes.count * 8 / 6
        return sextets.map { sextet in
            let bit = sextet * 6
            let pair = UInt16(bytes[bit / 8]) << 8 | UInt16(bit / 8 + 1 < bytes.count ? bytes[bit / 8 + 1] : 0)
            return alphabet[Int(pair >> (10 - bit % 8) & 63)]
        }
    }

    /// The forms of a byte in URLs and web forms.
    private static func percent(_ byte: UInt8) -> [[UInt8]] {
        let digits = [byte].hexadecimal
        var forms: Set<[UInt8]> = [[byte], Array("%\(digits)".utf8), Array("%\(digits.uppercased())".utf8)]
        if byte == UInt8(ascii: " ") { forms.insert([UInt8(ascii: "+")]) }
        return sorted(forms)
    }

    private static func json(_ scalar: Unicode.Scalar) -> [[UInt8]] {
        let units = UTF16.encode(scalar).map { Array($0) } ?? []
        let digits = units.map { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)].hexadecimal }
        var forms: Set<[UInt8]> = [
            Array(String(scalar).utf8), digits.flatMap { Array("\\u\($0)".utf8) },
            digits.flatMap { Array("\\u\($0.uppercased())".utf8) },
        ]
        let short: [Unicode.Scalar: String] = [
            "\"": "\\\"", "\\": "\\\\", "/": "\\/", "\n": "\\n", "\r": "\\r", "\t": "\\t",
        ]
        if let form = short[scalar] { forms.insert(Array(form.utf8)) }
        return sorted(forms)
    }

    private static func html(_ scalar: Unicode.Scalar) -> [[UInt8]] {
        let digits = String(scalar.value, radix: 16)
        var forms = [String(scalar), "&#\(scalar.value);"]
        for letter in ["x", "X"] { forms += ["&#\(letter)\(digits);", "&#\(letter)\(digits.uppercased());"] }
        switch scalar {
        case "&": forms.append("&amp;")
        case "<": forms.append("&lt;")
        case ">": forms.append("&gt;")
        case "\"": forms.append("&quot;")
        case "'": forms.append("&apos;")
        default: break
        }
        return sorted(Set(forms.map { Array($0.utf8) }))
    }

    /// Sorts the forms, so that they are tried in the same order in every run.
    private static func sorted(_ forms: Set<[UInt8]>) -> [[UInt8]] {
        forms.sorted { $0.lexicographicallyPrecedes($1) }
    }
}
