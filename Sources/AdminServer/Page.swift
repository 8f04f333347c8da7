// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
package import Storage

/// The part of a list that a caller asks for.
package struct PageRequest: Sendable {
    /// The key of the last item of the previous page; nil for the first page.
    package let after: String?
    /// The highest number of items.
    package let limit: Int
    /// How the names of the items begin; nil for all items.
    private let prefix: String?

    /// - Throws: ``OperationRefusal``
    init(_ call: OperationCall) throws {
        let limit = try call.query(.limit, as: Int.self) ?? QueryParameter.usualPageSize
        let sizes = QueryParameter.pageSizes
        guard sizes.contains(limit) else {
            throw Self.refusal("A page has \(sizes.lowerBound) to \(sizes.upperBound) items.")
        }
        self.limit = limit
        prefix = try Self.prefix(call)
        after = try call.query(.after, as: String.self).map { text in
            guard let bytes = Data(base64Encoded: text.replacing("-", with: "+").replacing("_", with: "/")),
                // PostgreSQL refuses texts with a zero byte.
                let place = String(validating: bytes, as: UTF8.self), !place.utf8.contains(0),
                // The place belongs to one list.
                place.unicodeScalars.starts(with: "\(call.operation.id) ".unicodeScalars)
            else { throw Self.unknownPlace }
            return String(place.unicodeScalars.dropFirst(call.operation.id.unicodeScalars.count + 1))
        }
    }

    /// - Throws: ``OperationRefusal``
    private static func prefix(_ call: OperationCall) throws -> String? {
        guard call.operation.query.contains(where: { $0.name == QueryParameter.startsWith.name }),
            let text = try call.query(.startsWith, as: String.self)
        else { return nil }
        guard let name = ObjectName(text), name.text.utf8.count <= 1024 else {
            throw OperationRefusal.malformed(call.operation, "The parameter startsWith is empty, or is not a name.")
        }
        return text
    }

    /// Returns the condition that a name begins as the caller asks, which begins with `AND`; empty without one. An index
    /// on the column answers it.
    package func filter<Column: ColumnName>(by name: Column) -> SQL {
        guard let prefix else { return "" }
        let name = SQL(stringLiteral: name.rawValue)
        // No name contains the last code point of Unicode, which is not a character.
        return "AND \(name) >= \(prefix) AND \(name) < \(prefix + "\u{10FFFF}")"
    }

    /// The refusal of a key that belongs to another list, or that no server made.
    package static let unknownPlace = refusal("The parameter after is not one that this list has.")

    private static func refusal(_ message: String) -> OperationRefusal {
        OperationRefusal(
            "admin.page", status: .badRequest, (message, "Follow the link in the header field Link to the next page."))
    }
}

/// A page of a list.
package struct Page<Item: Sendable>: Sendable {
    package let items: [Item]
    /// The key of the last item; nil if this is the last page.
    let next: String?

    /// Creates a page from the items that follow the previous page.
    ///
    /// - Parameters:
    ///   - found: the items, in the order of their keys. One item more than the page holds shows that there is another
    ///     page.
    ///   - key: returns the key of an item, by which the items are ordered and which no two items share.
    ///   - shown: returns the item as the operation replies with it.
    /// - Throws: the error of `shown`.
    package init<Found>(
        _ found: [Found], of request: PageRequest, key: (Found) -> String, shown: (Found) throws -> Item
    ) rethrows {
        let page = found.prefix(request.limit)
        items = try page.map(shown)
        next = found.count > request.limit ? page.last.map(key) : nil
    }
}

extension OperationCall {
    /// Returns the value of `Link` that names the next page (RFC 8288).
    func link(to key: String) -> String {
        let after = Data("\(operation.id) \(key)".utf8).base64EncodedString().replacing("+", with: "-").replacing(
            "/", with: "_")
        let kept = (request.uri.query ?? "").split(separator: "&").filter {
            !$0.hasPrefix("\(QueryParameter.after.name)=")
        }
        let query = (kept + ["\(QueryParameter.after.name)=\(after.replacing("=", with: "%3D"))"]).joined(
            separator: "&")
        return "<\(request.uri.path)?\(query)>; rel=\"next\""
    }
}
