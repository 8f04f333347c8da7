// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth

/// Takes the envelope of every PRT request apart: what a session key signs uses a PRT, what a device signs asks for one.
struct SignedRequestGrant: GrantHandler {
    let platform: Platform

    var grantTypes: [GrantType] { [.jwtBearer] }

    func respond(to request: TokenRequest) async throws -> Response {
        let token = try CompactJWS(request: try request.form.required(.request))
        return token.algorithm == .hs256
            ? try await PrimaryRefreshTokenUse(platform: platform).respond(to: token, in: request)
            : try await PrimaryRefreshTokenIssue(platform: platform).respond(to: token, in: request)
    }
}
