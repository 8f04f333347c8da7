// SPDX-License-Identifier: Apache-2.0
internal import OAuth

/// The supported query options of a request (OData 4.01 part 2, section 5.1). Any other option is refused, because
/// ignoring it would return a wrong result.
struct ODataQuery: Sendable {
    /// The names of the selected properties; nil for the default ones.
    let select: [String]?
    let filter: [ODataCondition]
    let top: Int
    let wantsCount: Bool
    let pageToken: String?

    enum Option: String, WireName, CaseIterable {
        case select = "$select"
        case filter = "$filter"
        case top = "$top"
        case count = "$count"
        case pageToken = "$skiptoken"
    }

    /// The options that are allowed for a list. For a single object, only ``ofObjects`` are allowed.
    static let ofLists = Set(Option.allCases)
    static let ofObjects: Set<Option> = [.select]

    static let standardTop = 100
    static let maximumTop = 999

    /// Parses the options in a request's query.
    ///
    /// - Throws: ``GraphError``
    init(_ parameters: FormParameters, allowing allowed: Set<Option>) throws(GraphError) {
        for name in parameters.names where name != ParameterName.clientRequestID.rawValue {
            guard let option = Option(rawValue: name), allowed.contains(option) else { throw .unknownOption }
        }
        select = parameters[Option.select].map { text in
            text.split(separator: ",", omittingEmptySubsequences: false).map { String($0.filter { $0 != " " }) }
        }
        if let text = parameters[Option.filter] {
            filter = try ODataCondition.conditions(text)
        } else {
            filter = []
        }
        top = try Self.top(parameters[Option.top])
        wantsCount = try Self.truth(parameters[Option.count])
        pageToken = parameters[Option.pageToken]
    }

    private static func top(_ text: String?) throws(GraphError) -> Int {
        guard let text else { return standardTop }
        guard let number = Int(text), (1...maximumTop).contains(number) else { throw .badTop }
        return number
    }

    private static func truth(_ text: String?) throws(GraphError) -> Bool {
        switch text {
        case nil, "false": return false
        case "true": return true
        default: throw .badQuery
        }
    }
}
