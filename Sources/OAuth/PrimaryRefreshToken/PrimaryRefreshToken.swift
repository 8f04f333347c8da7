// SPDX-License-Identifier: Apache-2.0

/// Facts of the primary refresh token protocol that device and server share (MS-OAPXBC and the cloud's dialect).
package enum PrimaryRefreshToken {
    /// The protocol that Baton's own device speaks, as `prt_protocol_version` says it.
    package static let protocolVersion = "3.0"
    /// What a use request of that version gives as its audience, whatever the server's name is.
    package static let useAudience = "https://login.windows.net/common/oauth2/v2.0/token"
    /// The scope of an issue or renewal request.
    package static let scopes = Scopes([Scopes.openID, Scopes.primaryRefreshToken, Scopes.groups])
    /// How long a nonce is good, in seconds.
    package static let nonceLifetime = 300
    /// The header field of a reply to a signed request that brings the nonce for the next one (RFC 8555 section 6.5.1).
    package static let nonceHeader = "Replay-Nonce"

    /// The form that carries a signed request to the token endpoint.
    package static func form(request: String) -> FormParameters {
        var form = FormParameters()
        form.append(ParameterName.grantType, GrantType.jwtBearer.rawValue)
        form.append(ParameterName.protocolVersion, protocolVersion)
        form.append(ParameterName.clientInfo, "1")
        form.append(ParameterName.request, request)
        return form
    }

    /// The form that asks for a nonce.
    package static var nonceForm: FormParameters {
        var form = FormParameters()
        form.append(ParameterName.grantType, GrantType.serverChallenge.rawValue)
        return form
    }

    /// The nonce of the reply to ``nonceForm``.
    ///
    /// - Throws: ``MembersFailure``.
    package static func nonce(decoding body: [UInt8]) throws(MembersFailure) -> String {
        try Members(decoding: body, limit: 4096).string(ReplyName.nonce)
    }
}
