// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import JSON

/// The body of a call, which is decoded when it is asked for, so that the path is judged first.
package struct OperationBody<Value: Decodable & Sendable>: Sendable {
    let call: OperationCall

    /// Decodes the JSON body.
    ///
    /// - Throws: ``OperationRefusal`` if the body is not JSON, has a member that the operation does not have, lacks one, or
    ///   contains U+0000, which PostgreSQL cannot store.
    package func decoded() throws -> Value {
        let limits = JSONLimits(bytes: call.body.count)
        do {
            let value = try JSONReader.read(call.body, limits: limits)
            if let member = call.operation.body()?.unknownMember(in: value) {
                throw OperationRefusal.malformed(call.operation, "The body has an unknown member: \(member).")
            }
            // PostgreSQL refuses texts with this character.
            guard !value.hasNullCharacter else {
                throw OperationRefusal.malformed(call.operation, "A text in the body has a null character (U+0000).")
            }
            return try JSONReader.read(Value.self, from: call.body, limits: limits)
        } catch let refusal as OperationRefusal {
            throw refusal
        } catch {
            throw OperationRefusal.malformed(call.operation, Self.message(error, call.body))
        }
    }

    /// The refusal of a change whose members change nothing, because there are none, or because all of them are null.
    package func emptyChange() -> OperationRefusal {
        let value = try? JSONReader.read(call.body, limits: JSONLimits(bytes: call.body.count))
        let members = (value?.object?.keys.sorted() ?? []).joined(separator: ", ")
        let message =
            members.isEmpty ? "The body has no member, so it changes nothing." : "A null changes nothing: \(members)."
        return .malformed(
            call.operation, message, remedy: "Leave out what stays as it is; to clear a text, send an empty one (\"\")."
        )
    }

    /// Returns a message that names the member on which decoding has failed; nil if no member is known.
    private static func message(_ error: any Error, _ body: [UInt8]) -> String? {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            MemberPath.text(context.codingPath + [key]).map { "The body lacks a member: \($0)." }
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            MemberPath.text(context.codingPath).map { "A member of the body does not have its form: \($0)." }
        case let failure as JSONFailure where failure.code == .duplicateKey:
            MemberPath.text(ofKeyAt: failure.offset, in: body).map { "The body has a member twice: \($0)." }
        default: nil
        }
    }
}

extension JSONValue {
    /// Whether a text in the value, or the name of a member, has the character U+0000.
    fileprivate var hasNullCharacter: Bool {
        switch self {
        case .string(let text): text.utf8.contains(0)
        case .array(let values): values.contains(where: \.hasNullCharacter)
        case .object(let members): members.contains { $0.key.utf8.contains(0) || $0.value.hasNullCharacter }
        case .null, .bool, .integer, .number: false
        }
    }
}
