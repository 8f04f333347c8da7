// SPDX-License-Identifier: Apache-2.0

/// What is true of a value apart from its form: the server accepts no other value in a body, and replies with no other.
package struct SchemaLimits: Sendable, Equatable {
    /// The possible texts; nil if there are too many to list.
    var values: [String]?
    /// The possible integers.
    var range: ClosedRange<Int>?
    /// The possible numbers of characters.
    var length: ClosedRange<Int>?
    /// The possible numbers of elements of a list.
    var count: ClosedRange<Int>?
    /// A regular expression that the text matches (ECMA-262).
    var pattern: String?

    static func oneOf(_ values: String...) -> SchemaLimits { SchemaLimits(values: values) }
    static func range(_ range: ClosedRange<Int>) -> SchemaLimits { SchemaLimits(range: range) }
    static func length(_ length: ClosedRange<Int>, _ pattern: String? = nil) -> SchemaLimits {
        SchemaLimits(length: length, pattern: pattern)
    }
    static func count(_ count: ClosedRange<Int>) -> SchemaLimits { SchemaLimits(count: count) }
    static func pattern(_ pattern: String) -> SchemaLimits { SchemaLimits(pattern: pattern) }

    /// A name of an object in a path or a body: it has no control characters (``ObjectName``).
    static let objectName = SchemaLimits.length(1...1024, "^\(visible)+$")
    /// The display name of an object of the directory.
    static let displayName = ShownText.displayName.limits
    static let givenName = ShownText.givenName.limits
    static let surname = ShownText.surname.limits
    static let mail = ShownText.mail.limits
    static let jobTitle = ShownText.jobTitle.limits
    static let mobilePhone = ShownText.mobilePhone.limits
    static let description = ShownText.description.limits
    /// A name that device management keeps.
    static let managedName = ShownText.managedName.limits

    /// Any character but control characters and separators of lines and paragraphs.
    private static let visible = #"[^\u0000-\u001f\u007f-\u009f\u2028\u2029]"#
}

/// A type with members that have limits, by the names of the members. The limits of a list are those of its elements,
/// apart from ``SchemaLimits/count``.
protocol LimitedMembers {
    static var limits: [String: SchemaLimits] { get }
}

extension Schema {
    /// Returns the form with limits.
    func limited(by limits: SchemaLimits) -> Schema {
        if case .list(let element) = self, limits.count == nil { return .list(.limited(element, limits)) }
        return .limited(self, limits)
    }
}
