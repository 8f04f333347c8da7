// SPDX-License-Identifier: Apache-2.0

/// An error from device registration: the part of the reply's JSON that clients show.
package struct RegistrationError: Error, Sendable, Equatable {
    /// Stable values of the reply's `code`; unknown values are kept unchanged.
    package struct Code: RawRepresentable, Sendable, Hashable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        package static let authenticationRequired = Code(rawValue: "authentication_required")
        package static let badRequest = Code(rawValue: "bad_request")
        package static let authorizationFailed = Code(rawValue: "authorization_failed")
        package static let certificateRequired = Code(rawValue: "client_certificate_required")
        package static let unsupportedVersion = Code(rawValue: "unsupported_api_version")
        package static let unknownTenant = Code(rawValue: "unknown_tenant")
        package static let internalError = Code(rawValue: "internal_error")
        package static let temporarilyUnavailable = Code(rawValue: "temporarily_unavailable")
    }

    package let code: Code
    /// Text for the administrator, without user data.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Reads an error reply; returns nil if the object is not an error reply.
    package init?(_ reply: Members) {
        guard let word = try? reply.string(RegistrationName.code) else { return nil }
        let message = (try? reply.optionalString(RegistrationName.message)) ?? nil
        self.init(Code(rawValue: word), message ?? "")
    }

    /// The JSON body.
    package var encoded: [UInt8] {
        var body = MembersWriter()
        body.set(RegistrationName.code, code.rawValue)
        body.set(RegistrationName.message, message)
        return body.bytes
    }
}
