// SPDX-License-Identifier: Apache-2.0
package import MDMProtocol

extension SessionPolicyOverride {
    /// Reads `sessionPolicy` of the broker's app configuration; empty if the configuration lacks it.
    ///
    /// - Throws: ``SessionPolicyError`` for an unknown key or an invalid value.
    package init(configuration: [String: PropertyList]) throws(SessionPolicyError) {
        self.init()
        guard configuration[Self.formerName] == nil else { throw SessionPolicyError(.renamed, Self.formerName) }
        guard let sessionPolicy = configuration[PropertyKey.sessionPolicy.rawValue] else { return }
        guard case .dictionary(let members) = sessionPolicy else {
            throw SessionPolicyError(.malformed, PropertyKey.sessionPolicy.rawValue)
        }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let key = SessionPolicyKey(rawValue: name) else { throw SessionPolicyError(.unknown, name) }
            switch (key, value) {
            case (.shiftEnds, .array(let items)): try setShiftEnds(try Self.texts(items))
            case (_, .integer(let number)):
                guard let number = Int(exactly: number) else { throw SessionPolicyError(.range, name) }
                try set(key, number)
            default: throw SessionPolicyError(.malformed, name)
            }
        }
    }

    /// The name of `sessionPolicy` before 0.1.
    private static let formerName = "doors"

    private static func texts(_ items: [PropertyList]) throws(SessionPolicyError) -> [String] {
        var texts: [String] = []
        for item in items {
            guard case .string(let text) = item else {
                throw SessionPolicyError(.malformed, SessionPolicyKey.shiftEnds.rawValue)
            }
            texts.append(text)
        }
        return texts
    }
}
