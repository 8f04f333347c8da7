// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Crypto
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import JSON

/// The tag of an object in one state (RFC 9110 section 8.8.3).
///
/// The tag contains a short digest of each member's name and value. Two tags of one object therefore also say which
/// members differ.
package struct EntityTag: Sendable, Equatable {
    /// The digests in the order of the members' names.
    private let members: [Member]

    private struct Member: Sendable, Equatable {
        let name: [UInt8]
        let value: [UInt8]
    }

    private static let nameLength = 3
    private static let valueLength = 6
    /// The highest number of members that a tag of a request may have.
    private static let maximumMembers = 64

    /// - Parameter item: an object, or another value, which counts as an object with one nameless member.
    /// - Throws: an error of the encoder.
    package init(of item: some Encodable) throws { self.init(object: try JSONObject(item)) }

    fileprivate init(object: JSONObject) {
        // No tag is empty: an object without members has one nameless member.
        let present = object.members.isEmpty ? ["": JSONValue.null] : object.members
        members = present.sorted { $0.key < $1.key }.map { name, value in
            Member(
                name: Self.digest(Array(name.utf8), Self.nameLength),
                value: Self.digest(JSONWriter.write(value), Self.valueLength))
        }
    }

    /// Parses a strong tag in its quotes; nil if it is not one that this server can have made.
    init?(_ text: Substring) {
        guard text.count >= 2, text.first == "\"", text.last == "\"" else { return nil }
        let encoded = String(text.dropFirst().dropLast()).replacing("-", with: "+").replacing("_", with: "/")
        guard let bytes = Data(base64Encoded: encoded) else { return nil }
        let length = Self.nameLength + Self.valueLength
        guard !bytes.isEmpty, bytes.count % length == 0, bytes.count / length <= Self.maximumMembers else { return nil }
        members = stride(from: 0, to: bytes.count, by: length).map { start in
            let member = Array(bytes[start..<start + length])
            return Member(name: Array(member.prefix(Self.nameLength)), value: Array(member.dropFirst(Self.nameLength)))
        }
    }

    /// The tag as it appears in a header field.
    package var text: String {
        let bytes = Data(members.flatMap { $0.name + $0.value })
        let encoded = bytes.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        return "\"\(encoded)\""
    }

    /// Returns the names of the members in which an object differs from the object of this tag. A member that the object
    /// no longer has cannot be named.
    fileprivate func changes(in object: JSONObject) -> [String] {
        object.members.keys.sorted().filter { name in
            let digest = Self.digest(Array(name.utf8), Self.nameLength)
            guard let value = object.members[name] else { return false }
            let known = members.first { $0.name == digest }
            return known?.value != Self.digest(JSONWriter.write(value), Self.valueLength)
        }
    }

    /// The digests are longer than one may guess and shorter than a whole hash: a change that goes unnoticed has one
    /// chance in 2⁴⁸.
    private static func digest(_ bytes: [UInt8], _ length: Int) -> [UInt8] {
        Array(SHA256.hash(data: bytes).prefix(length))
    }
}

/// A value as a JSON object.
private struct JSONObject {
    let members: [String: JSONValue]

    init(_ item: some Encodable) throws {
        let value = try JSONReader.read(AdminAnswer.json(item), limits: JSONLimits(bytes: 4 << 20))
        members = value.object ?? ["": value]
    }
}

/// The condition of a change: the object must still be in a state that the caller knows (`If-Match`, RFC 9110 section
/// 13.1.1).
package enum EntityCondition: Sendable, Equatable {
    /// The object must exist (`*`).
    case exists
    /// The object must be in one of these states.
    case isOneOf([EntityTag])

    /// Parses `If-Match`; nil if the request does not have the field.
    ///
    /// - Throws: ``OperationRefusal`` if the field cannot be read, or if the operation has no object to compare.
    init?(_ request: Request, of operation: AdminOperation) throws {
        guard let field = request.headers[.ifMatch] else { return nil }
        guard operation.isConditional else {
            throw OperationRefusal(
                "admin.condition", status: .badRequest,
                (
                    "This operation cannot depend on the state of an object.",
                    "Leave If-Match out, or use an operation that docs/administration.md lists with it."
                ))
        }
        let texts = field.split(separator: ",").map { $0.drop { $0 == " " || $0 == "\t" } }.map { text in
            text.lastIndex { $0 != " " && $0 != "\t" }.map { text[...$0] } ?? ""
        }
        if texts == ["*"] {
            self = .exists
            return
        }
        let tags = texts.compactMap { EntityTag($0) }
        guard !tags.isEmpty, tags.count == texts.count, tags.count <= 10 else {
            throw OperationRefusal(
                "admin.condition", status: .badRequest,
                ("If-Match has no tag of this server.", "Send the ETag of the answer with which you read the object."))
        }
        self = .isOneOf(tags)
    }

    /// Checks that an object is in a state that the caller knows.
    ///
    /// - Throws: ``OperationRefusal`` with the names of the members that have changed, or an error of the encoder.
    package func check(_ item: some Encodable) throws {
        guard case .isOneOf(let tags) = self else { return }
        let object = try JSONObject(item)
        guard !tags.contains(EntityTag(object: object)) else { return }
        let changed = tags.map { $0.changes(in: object) }.min { $0.count < $1.count } ?? []
        let named = changed.isEmpty ? "" : ": \(changed.joined(separator: ", "))"
        throw OperationRefusal(
            "admin.changed", status: .preconditionFailed,
            (
                "The object has changed since you read it\(named).",
                "Read it again, decide whether your change is still right, and repeat it with the new ETag."
            ), changed: changed)
    }
}
