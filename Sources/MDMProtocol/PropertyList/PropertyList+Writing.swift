// SPDX-License-Identifier: Apache-2.0

extension PropertyList {
    /// Returns the XML form. Equal values give equal bytes; keys are in the order of their UTF-8 bytes.
    ///
    /// - Throws: ``PropertyListError`` with `unrepresentable` if XML cannot represent the value.
    package func xml() throws(PropertyListError) -> [UInt8] {
        var writer = XMLWriter()
        try writer.write(self, indent: 0)
        return writer.finish()
    }
}

/// Writes the same layout as Apple's own tools, including tabs.
private struct XMLWriter {
    private var text = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">

        """

    func finish() -> [UInt8] { Array((text + "</plist>\n").utf8) }

    mutating func write(_ value: PropertyList, indent: Int) throws(PropertyListError) {
        text += String(repeating: "\t", count: indent)
        switch value {
        case .string(let string): text += "<string>\(try escaped(string))</string>\n"
        case .integer(let integer): text += "<integer>\(integer)</integer>\n"
        case .boolean(let boolean): text += boolean ? "<true/>\n" : "<false/>\n"
        case .data(let bytes): text += "<data>\(ScalarText.data(bytes))</data>\n"
        case .real(let real):
            guard real.isFinite else { throw PropertyListError(.unrepresentable) }
            text += "<real>\(real)</real>\n"
        case .date(let seconds):
            guard let date = ScalarText.date(seconds) else { throw PropertyListError(.unrepresentable) }
            text += "<date>\(date)</date>\n"
        case .array(let elements): try write(elements, indent: indent)
        case .dictionary(let members): try write(members, indent: indent)
        }
    }

    private mutating func write(_ elements: [PropertyList], indent: Int) throws(PropertyListError) {
        guard !elements.isEmpty else { return text += "<array/>\n" }
        text += "<array>\n"
        for element in elements { try write(element, indent: indent + 1) }
        text += String(repeating: "\t", count: indent) + "</array>\n"
    }

    private mutating func write(_ members: [String: PropertyList], indent: Int) throws(PropertyListError) {
        guard !members.isEmpty else { return text += "<dict/>\n" }
        text += "<dict>\n"
        let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (key, value) in sorted {
            text += String(repeating: "\t", count: indent + 1) + "<key>\(try escaped(key))</key>\n"
            try write(value, indent: indent + 1)
        }
        text += String(repeating: "\t", count: indent) + "</dict>\n"
    }

    private func escaped(_ string: String) throws(PropertyListError) -> String {
        var result = ""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            // A bare carriage return would be read back as a line feed.
            case "\r": result += "&#13;"
            default:
                guard scalar.isXMLCharacter else { throw PropertyListError(.unrepresentable) }
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
