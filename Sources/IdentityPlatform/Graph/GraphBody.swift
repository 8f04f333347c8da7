// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import JSON
internal import NIOCore

/// The JSON object in a request's body. A property that the route cannot set is refused, because ignoring it would look
/// like success.
struct GraphBody: Sendable {
    private let members: [String: JSONValue]

    /// - Throws: ``GraphError``
    init(_ request: Request, limit: Int, allowing names: [String]) async throws {
        let buffer: ByteBuffer
        do {
            buffer = try await request.body.collect(upTo: limit)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // The body is too large or incomplete, or its framing is invalid.
            throw GraphError.badBody
        }
        let value: JSONValue
        do {
            value = try JSONReader.read(Array(buffer.readableBytesView), limits: JSONLimits(bytes: limit))
        } catch {
            throw GraphError.badBody
        }
        guard let members = value.object else { throw GraphError.badBody }
        try self.init(members, allowing: names)
    }

    private init(_ members: [String: JSONValue], allowing names: [String]) throws(GraphError) {
        let unknown = members.keys.first { !names.contains($0) && $0 != GraphName.type.rawValue }
        guard unknown == nil else { throw .unknownMember }
        self.members = members
    }

    /// Returns the text of a member; nil if it is absent.
    ///
    /// - Throws: ``GraphError``
    func text(_ name: String) throws(GraphError) -> String? {
        guard let value = members[name] else { return nil }
        guard let text = value.string else { throw .badBody }
        return text
    }

    /// Returns the text of a required member.
    ///
    /// - Throws: ``GraphError``
    func required(_ name: String) throws(GraphError) -> String {
        guard let text = try text(name) else { throw .badBody }
        return text
    }

    /// Returns a function from the present text to the new one: the member's text, nil if the member is null, or the
    /// present text if the member is absent.
    ///
    /// - Throws: ``GraphError``
    func change(_ name: String) throws(GraphError) -> @Sendable (String?) -> String? {
        guard let value = members[name] else { return { $0 } }
        if value == .null { return { _ in nil } }
        guard let text = value.string else { throw .badBody }
        return { _ in text }
    }

    /// Returns the Boolean of a member; nil if it is absent.
    ///
    /// - Throws: ``GraphError``
    func truth(_ name: String) throws(GraphError) -> Bool? {
        guard let value = members[name] else { return nil }
        guard let truth = value.bool else { throw .badBody }
        return truth
    }

    /// Returns the integer of a member; nil if it is absent.
    ///
    /// - Throws: ``GraphError``
    func number(_ name: String) throws(GraphError) -> Int? {
        guard let value = members[name] else { return nil }
        guard let number = value.integer else { throw .badBody }
        return number
    }

    /// Returns the texts of a list; empty if it is absent.
    ///
    /// - Throws: ``GraphError``
    func texts(_ name: String) throws(GraphError) -> [String] {
        guard let value = members[name] else { return [] }
        guard let list = value.array else { throw .badBody }
        let texts = list.compactMap(\.string)
        guard texts.count == list.count else { throw .badBody }
        return texts
    }

    /// Returns whether a list is absent or empty.
    ///
    /// - Throws: ``GraphError``
    func isEmptyList(_ name: String) throws(GraphError) -> Bool {
        guard let value = members[name] else { return true }
        guard let list = value.array else { throw .badBody }
        return list.isEmpty
    }

    /// Returns the object in a member; nil if it is absent.
    ///
    /// - Throws: ``GraphError``
    func object(_ name: String, allowing names: String...) throws(GraphError) -> GraphBody? {
        guard let value = members[name] else { return nil }
        guard let object = value.object else { throw .badBody }
        return try GraphBody(object, allowing: names)
    }
}
