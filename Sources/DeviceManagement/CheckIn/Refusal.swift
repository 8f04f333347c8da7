// SPDX-License-Identifier: Apache-2.0

/// The body of a 403 that tells a device that it is not, or no longer, managed by this server.
package enum Refusal {
    /// The device drops its enrollment when it reads this.
    package static let unrecognizedDevice = "com.apple.unrecognized.device"

    /// The property list of a refusal.
    package static func propertyList(code: String, explanation: String) -> PropertyList {
        .record([.code: .string(code), .explanation: .string(explanation)])
    }

    /// The code of a refusal's body; nil where the body is none.
    package static func code(in body: [UInt8]) -> String? {
        guard let value = try? PropertyList(xml: body), case .dictionary(let members) = value,
            case .string(let code) = members[PropertyKey.code.rawValue]
        else { return nil }
        return code
    }
}
