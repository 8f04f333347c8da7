// SPDX-License-Identifier: Apache-2.0

/// Constants and forms of the primary refresh token protocol that device and server share (MS-OAPXBC and the cloud's
/// dialect).
package enum PrimaryRefreshToken {
    /// The protocol version of Baton's own device, the value of `prt_protocol_version`.
    package static let protocolVersion = "3.0"
    /// The audience of a use request in protocol version 3.0. It does not depend on the server's name.
    package static let useAudience = "https://login.windows.net/common/oauth2/v2.0/token"
    /// The scopes of a request for a new or renewed PRT.
    package static let scopes = Scopes([Scopes.openID, Scopes.primaryRefreshToken, Scopes.groups])
    /// The lifetime of a nonce in seconds.
    package static let nonceLifetime = 300
    /// The header field with the nonce for the next request, in replies to signed requests (RFC 8555 section 6.5.1).
    package static let nonceHeader = "Replay-Nonce"

    /// Returns the form that carries a signed request to the token endpoint.
    package static func form(request: String) -> FormParameters {
        var form = FormParameters()
        form.append(ParameterName.grantType, GrantType.jwtBearer.rawValue)
        form.append(ParameterName.protocolVersion, protocolVersion)
        form.append(ParameterName.clientInfo, "1")
        form.append(ParameterName.request, request)
        return form
    }

    /// The form that requests a nonce.
    package static var nonceForm: FormParameters {
        var form = FormParameters()
        form.append(ParameterName.grantType, GrantType.serverChallenge.rawValue)
        return form
    }

    /// Returns the nonce in the reply to ``nonceForm``.
    ///
    /// - Throws: ``MembersFailure``.
    package static func nonce(decoding body: [UInt8]) throws(MembersFailure) -> String {
        try Members(decoding: body, limit: 4096).string(ReplyName.nonce)
    }
}
