// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import JSON
internal import OAuth
internal import Storage

/// A kind of Graph object, such as `users`: its name, its properties and how its objects are found. All code that
/// lists, reads and compares objects is generic over this type.
struct GraphKind<Item: Sendable>: Sendable {
    /// The collection's name in URLs and in `@odata.context`.
    let collection: String
    /// The `@odata.type` of an object, written if a list contains objects of several kinds.
    let type: @Sendable (Item) -> String
    let writesType: Bool
    let properties: [GraphProperty<Item>]
    let key: @Sendable (Item) -> String
    /// Finds the object that a key from a URL identifies.
    let find: @Sendable (GraphKey, TenantID, any Connection) throws -> Item?
    /// Returns the list of all objects of a tenant.
    let all: @Sendable (TenantID) -> GraphList<Item>

    init(
        collection: String, type: @escaping @Sendable (Item) -> String, writesType: Bool = false,
        properties: [GraphProperty<Item>], key: @escaping @Sendable (Item) -> String,
        find: @escaping @Sendable (GraphKey, TenantID, any Connection) throws -> Item?,
        all: @escaping @Sendable (TenantID) -> GraphList<Item>
    ) {
        (self.collection, self.type, self.writesType) = (collection, type, writesType)
        (self.properties, self.key, self.find, self.all) = (properties, key, find, all)
    }

    /// The same kind, for a list of references (`directoryObjects`). Such a list names the type of each object and
    /// cannot be filtered.
    var amongOthers: GraphKind {
        let plain = properties.map { property in
            GraphProperty(name: property.name, isStandard: property.isStandard, value: property.value, filter: nil)
        }
        return GraphKind(
            collection: "directoryObjects", type: type, writesType: true, properties: plain, key: key, find: find,
            all: all)
    }

    /// Returns the properties that `$select` names, ignoring case, or the default properties if there is no `$select`.
    ///
    /// - Throws: ``GraphError`` `unknownProperty`.
    func properties(selected names: [String]?) throws(GraphError) -> [GraphProperty<Item>] {
        guard let names else { return properties.filter(\.isStandard) }
        var chosen: [GraphProperty<Item>] = []
        for name in names {
            let found = properties.first { $0.name.lowercased() == name.lowercased() }
            guard let found else { throw .unknownProperty }
            if !chosen.contains(where: { $0.name == found.name }) { chosen.append(found) }
        }
        return chosen
    }

    /// Returns a filter as a database condition, and as a test for items in memory.
    ///
    /// - Throws: ``GraphError`` `unfilterable`.
    func filter(
        _ conditions: [ODataCondition]
    ) throws(GraphError) -> (condition: SQL, matches: @Sendable (Item) -> Bool) {
        var condition: SQL = ""
        var tests: [@Sendable (Item) -> Bool] = []
        for asked in conditions {
            let property = properties.first { $0.name.lowercased() == asked.property.lowercased() }
            guard let property, let part = property.filter?(asked.value) else { throw .unfilterable }
            condition = "\(condition)\(part)"
            tests.append { property.value($0) == asked.value }
        }
        let all = tests
        return (condition, { item in all.allSatisfy { $0(item) } })
    }

    /// Returns the current tag of an object. The tag changes whenever a property changes (RFC 9110 section 8.8.3).
    func entityTag(_ item: Item) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        for property in properties {
            writer.append(name: property.name)
            writer.append(property.value(item))
        }
        writer.endObject()
        return "W/\"\(Base64URL.encode(Array(SHA256.hash(data: writer.bytes)).prefix(16)))\""
    }

    /// Writes an object's members. The caller must have begun the JSON object.
    func write(_ item: Item, _ properties: [GraphProperty<Item>], to writer: inout JSONWriter) {
        if writesType { writer.set(.type, type(item)) }
        writer.set(.entityTag, entityTag(item))
        for property in properties {
            writer.append(name: property.name)
            writer.append(property.value(item))
        }
    }
}

extension JSONWriter {
    mutating func set(_ name: GraphName, _ text: String) {
        append(name: name.rawValue)
        append(text)
    }
}
