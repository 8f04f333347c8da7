// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// An error from the token or authorization endpoint (RFC 6749 section 5.2) with Entra's error number.
///
/// ``description`` is sent to the client; ``detail`` is for the log only. Neither contains user data.
package struct OAuthError: Error, Sendable, Equatable {
    /// The value of `error`; unknown values are kept unchanged.
    package struct Code: RawRepresentable, Sendable, Hashable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// The value that known clients expect if the user refuses (RFC 8628 calls it `access_denied`).
        package static let authorizationDeclined = Code(rawValue: "authorization_declined")
        package static let authorizationPending = Code(rawValue: "authorization_pending")
        package static let expiredToken = Code(rawValue: "expired_token")
        package static let slowDown = Code(rawValue: "slow_down")
        package static let unsupportedTokenType = Code(rawValue: "unsupported_token_type")
        package static let accessDenied = Code(rawValue: "access_denied")
        package static let interactionRequired = Code(rawValue: "interaction_required")
        package static let invalidClient = Code(rawValue: "invalid_client")
        package static let invalidGrant = Code(rawValue: "invalid_grant")
        package static let invalidInstance = Code(rawValue: "invalid_instance")
        package static let invalidRequest = Code(rawValue: "invalid_request")
        package static let invalidResource = Code(rawValue: "invalid_resource")
        package static let invalidScope = Code(rawValue: "invalid_scope")
        package static let loginRequired = Code(rawValue: "login_required")
        package static let registrationNotSupported = Code(rawValue: "registration_not_supported")
        package static let requestNotSupported = Code(rawValue: "request_not_supported")
        package static let requestURINotSupported = Code(rawValue: "request_uri_not_supported")
        package static let serverError = Code(rawValue: "server_error")
        package static let temporarilyUnavailable = Code(rawValue: "temporarily_unavailable")
        package static let unauthorizedClient = Code(rawValue: "unauthorized_client")
        package static let unsupportedGrantType = Code(rawValue: "unsupported_grant_type")
        package static let unsupportedResponseType = Code(rawValue: "unsupported_response_type")
    }

    /// The error number for a device that is not registered.
    package static let unknownDeviceNumber = 50155
    /// The error number for a disabled device.
    package static let disabledDeviceNumber = 135_011
    /// The error number for an application that is not registered.
    package static let unknownClientNumber = 700_016
    /// The error number for a disabled application.
    package static let disabledClientNumber = 7_000_112
    /// The error number for an application that may not ask for this resource or permission on behalf of a person.
    package static let noConsentNumber = 65001
    /// The error number for an application that has no permission for itself.
    package static let noApplicationPermissionNumber = 5_000_645
    /// The error number for an assertion that no registered key has signed.
    package static let assertionSignatureNumber = 700_027
    /// The error number for an organisation that the server does not serve.
    package static let unknownTenantNumber = 90002
    /// The error number for a request that does not say which organisation it means.
    package static let ambiguousTenantNumber = 50059

    package let code: Code
    /// The number after `AADSTS`; 0 if the reply contains none.
    package let number: Int
    /// Text for the client, without the leading `AADSTS…:`.
    package let description: String
    package let suberror: String?
    /// Text for the log only; never part of a reply.
    package let detail: String?

    package init(
        _ code: Code, number: Int, description: String, suberror: String? = nil, detail: String? = nil
    ) {
        self.code = code
        self.number = number
        self.description = description
        self.suberror = suberror
        self.detail = detail
    }

    /// Reads an error reply; returns nil if the object is not an error reply.
    package init?(_ reply: Members) {
        guard let word = try? reply.string(ReplyName.error) else { return nil }
        var number = 0
        if case .array(let elements) = reply[ReplyName.errorCodes], case .integer(let first) = elements.first {
            number = first
        }
        let description = (try? reply.optionalString(ReplyName.errorDescription)) ?? nil
        self.init(
            Code(rawValue: word), number: number, description: Self.withoutNumber(description ?? "", number),
            suberror: (try? reply.optionalString(ReplyName.suberror)) ?? nil)
    }

    /// Removes the prefix that ``wireDescription`` adds.
    private static func withoutNumber(_ text: String, _ number: Int) -> String {
        let prefix = "AADSTS\(number): "
        return text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
    }

    /// The first line of the value of `error_description`.
    package var wireDescription: String { "AADSTS\(number): \(description)" }
}
