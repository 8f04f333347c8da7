// SPDX-License-Identifier: Apache-2.0

/// A parameter in the query of an operation's URL.
package struct QueryParameter: Sendable {
    package enum Kind: String, Sendable { case string, integer, boolean }

    package let name: String
    package let kind: Kind
    package let isRequired: Bool
    package let meaning: String
    let limits: SchemaLimits?
    /// The value of an integer that is not given.
    let initial: Int?

    init(
        _ name: String, _ kind: Kind, isRequired: Bool = false, limits: SchemaLimits? = nil, initial: Int? = nil,
        meaning: String
    ) {
        (self.name, self.kind, self.isRequired, self.meaning) = (name, kind, isRequired, meaning)
        (self.limits, self.initial) = (limits, initial)
    }

    /// The possible numbers of items on a page.
    package static let pageSizes = 1...1000
    /// The number of items on a page unless the caller gives one.
    package static let usualPageSize = 100
    /// The possible numbers of lines of an audit log.
    package static let lineCounts = 1...10_000
    /// The number of lines of an audit log unless the caller gives one.
    package static let usualLineCount = 100

    /// The parameters of a list that is returned in pages.
    package static let paging = [limit, after]
    package static let limit = QueryParameter(
        "limit", .integer, limits: .range(pageSizes), initial: usualPageSize,
        meaning: "The number of items on a page, 1 to 1000; by default 100.")
    package static let after = QueryParameter(
        "after", .string, meaning: "Where the page begins. The header field `Link` of the previous page contains it.")
    /// The parameters of a list that is ordered by name and returned in pages.
    package static let pagingByName = [startsWith] + paging
    package static let startsWith = QueryParameter(
        "startsWith", .string, limits: .objectName,
        meaning:
            "Only items whose name begins with this text. For people this is the user principal name in lower case, "
            + "for profiles and apps the identifier. Upper and lower case differ.")
    /// The person whose sessions a list contains.
    package static let user = QueryParameter(
        "user", .string, limits: .objectName,
        meaning: "The person whose sessions to list, by object id or user principal name.")
    /// Whether an upload may replace an item.
    package static let replace = QueryParameter(
        "replace", .boolean, meaning: "Whether to replace a profile that has the same identifier.")
    /// The number of lines of an audit log.
    package static let count = QueryParameter(
        "count", .integer, limits: .range(lineCounts), initial: usualLineCount,
        meaning: "The number of lines, 1 to 10000; by default 100.")
    /// The beginning of an export.
    package static let from = QueryParameter(
        "from", .integer, isRequired: true, meaning: "The beginning of the period, in milliseconds since 1970.")
    /// The end of an export.
    package static let to = QueryParameter(
        "to", .integer, isRequired: true,
        meaning: "The end of the period, which is excluded, in milliseconds since 1970.")
}
