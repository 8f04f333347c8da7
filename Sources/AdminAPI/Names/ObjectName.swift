// SPDX-License-Identifier: Apache-2.0

/// What an administrator calls an object: an id or a name. The server finds the object by one rule, which
/// docs/administration.md states for administrators:
///
/// 1. Ids are compared before names. GUIDs are compared ignoring case.
/// 2. A text that has the form of an id is not compared with names. Otherwise, an object whose name is the id of
///    another object could receive what was meant for the other one.
/// 3. Any other text is compared with the objects' names, exactly. If several objects have the name, the server refuses
///    it and lists these objects.
///
/// User principal names, domains and the names of roles are unique; they are compared ignoring case.
package struct ObjectName: Sendable, Hashable {
    package let text: String

    /// Returns nil if the text is empty or contains a control character.
    package init?(_ text: String) {
        guard !text.isEmpty, text.unicodeScalars.allSatisfy({ !Self.isControl($0) }) else { return nil }
        self.text = text
    }

    /// The text as a GUID in small letters; nil if it is no GUID.
    package var guid: String? { hasForm([8, 4, 4, 4, 12]) ? text.lowercased() : nil }

    /// Whether the text has the form of an id: a GUID, or a UDID of one of Apple's devices.
    package var isID: Bool { hasForm([8, 4, 4, 4, 12]) || hasForm([8, 16]) || hasForm([40]) }

    /// The text in small letters and in capitals, without the text itself. A UDID is compared with these if no device
    /// has exactly the given one.
    package var otherCases: [String] {
        Set([text.lowercased(), text.uppercased()]).subtracting([text]).sorted()
    }

    /// Whether the text consists of groups of hexadecimal digits of these lengths, separated by hyphens.
    private func hasForm(_ lengths: [Int]) -> Bool {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return groups.map(\.count) == lengths
            && groups.joined().allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
