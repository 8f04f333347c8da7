// SPDX-License-Identifier: Apache-2.0

/// The body of a 403 response, which informs a device that this server does not manage the device, or no longer manages
/// it.
package enum Refusal {
    /// The code that makes a device remove its enrollment.
    package static let unrecognizedDevice = "com.apple.unrecognized.device"

    /// Returns the property list of a refusal.
    package static func propertyList(code: String, explanation: String) -> PropertyList {
        .record([.code: .string(code), .explanation: .string(explanation)])
    }

    /// Returns the code in a refusal's body; nil if the body is not a refusal.
    package static func code(in body: [UInt8]) -> String? {
        guard let value = try? PropertyList(xml: body), case .dictionary(let members) = value,
            case .string(let code) = members[PropertyKey.code.rawValue]
        else { return nil }
        return code
    }
}
