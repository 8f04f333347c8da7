// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth

/// Issues a nonce (MS-OAPXBC, `srv_challenge`).
struct NonceGrant: GrantHandler {
    let nonces: Nonces

    var grantTypes: [GrantType] { [.serverChallenge] }

    func respond(to request: TokenRequest) async throws -> Response {
        var body = MembersWriter()
        body.set(ReplyName.nonce, nonces.make())
        return Response(json: body)
    }
}
