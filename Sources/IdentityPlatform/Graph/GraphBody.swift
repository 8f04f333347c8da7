// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import JSON
internal import NIOCore

/// The JSON object that a call was sent. A property that the call does not set is refused: what is passed over in silence looks
/// as if it had been done.
struct GraphBody: Sendable {
    private let members: [String: JSONValue]

    /// - Throws: ``GraphError``
    init(_ request: Request, limit: Int, allowing names: [String]) async throws {
        do {
            let buffer = try await request.body.collect(upTo: limit)
            let value = try JSONReader.read(Array(buffer.readableBytesView), limits: JSONLimits(bytes: limit))
            guard let members = value.object else { throw GraphError.badBody }
            try self.init(members, allowing: names)
        } catch is JSONFailure {
            throw GraphError.badBody
        } catch is NIOTooManyBytesError {
            throw GraphError.badBody
        }
    }

    private init(_ members: [String: JSONValue], allowing names: [String]) throws(GraphError) {
        let unknown = members.keys.first { !names.contains($0) && $0 != GraphName.type.rawValue }
        guard unknown == nil else { throw .unknownMember }
        self.members = members
    }

    /// The text of a member; nil where it is absent.
    ///
    /// - Throws: ``GraphError``
    func text(_ name: String) throws(GraphError) -> String? {
        guard let value = members[name] else { return nil }
        guard let text = value.string else { throw .badBody }
        return text
    }

    /// The text of a member that must be there.
    ///
    /// - Throws: ``GraphError``
    func required(_ name: String) throws(GraphError) -> String {
        guard let text = try text(name) else { throw .badBody }
        return text
    }

    /// The text of a member that null takes away; `former` where it is absent.
    ///
    /// - Throws: ``GraphError``
    func text(_ name: String, else former: String?) throws(GraphError) -> String? {
        guard let value = members[name] else { return former }
        if value == .null { return nil }
        guard let text = value.string else { throw .badBody }
        return text
    }

    /// The truth value of a member; nil where it is absent.
    ///
    /// - Throws: ``GraphError``
    func truth(_ name: String) throws(GraphError) -> Bool? {
        guard let value = members[name] else { return nil }
        guard let truth = value.bool else { throw .badBody }
        return truth
    }

    /// The whole number of a member; nil where it is absent.
    ///
    /// - Throws: ``GraphError``
    func number(_ name: String) throws(GraphError) -> Int? {
        guard let value = members[name] else { return nil }
        guard let number = value.integer else { throw .badBody }
        return number
    }

    /// The texts of a list; none where it is absent.
    ///
    /// - Throws: ``GraphError``
    func texts(_ name: String) throws(GraphError) -> [String] {
        guard let value = members[name] else { return [] }
        guard let list = value.array else { throw .badBody }
        let texts = list.compactMap(\.string)
        guard texts.count == list.count else { throw .badBody }
        return texts
    }

    /// Whether a list is absent or empty.
    ///
    /// - Throws: ``GraphError``
    func isEmptyList(_ name: String) throws(GraphError) -> Bool {
        guard let value = members[name] else { return true }
        guard let list = value.array else { throw .badBody }
        return list.isEmpty
    }

    /// The object in a member; nil where it is absent.
    ///
    /// - Throws: ``GraphError``
    func object(_ name: String, allowing names: String...) throws(GraphError) -> GraphBody? {
        guard let value = members[name] else { return nil }
        guard let object = value.object else { throw .badBody }
        return try GraphBody(object, allowing: names)
    }
}
