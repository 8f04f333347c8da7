// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth
internal import Storage

/// Issues a device token to an app: a token for the device itself, without a person.
struct DeviceTokenIssue: Sendable {
    let database: any Database
    let nonces: Nonces
    let keys: TenantKeys
    let issuer: TokenIssuer
    let resources: ResourceCatalogue

    func respond(
        to token: CompactJWS, of proof: DeviceProof, in tenant: Tenant, _ request: TokenRequest
    ) async throws -> Response {
        guard let wanted = try? DeviceTokenGrantRequest(proof.claims) else { throw OAuthError.malformedSignedRequest }
        let acceptance = try nonces.accept(
            wanted.nonce, signed: token.signingInput, for: .deviceToken, by: proof.device.id.rawValue)
        guard let id = ClientID(rawValue: wanted.clientID) else { throw OAuthError.unknownClient }
        let (client, device, keys) = try await acceptance.read(database) { [keys] connection in
            guard let device = try Devices(connection).find(proof.device.id, tenant: tenant.id) else {
                throw OAuthError.unknownDevice
            }
            guard device.isEnabled else { throw OAuthError.disabledDevice }
            return (
                try Clients(connection).usable(id, tenant: tenant.id), device,
                try keys.shared(by: tenant.id, connection)
            )
        }
        // The device's key authenticates only the device. An application with a secret would also have to authenticate
        // itself, so it is refused.
        guard client.isPublic else { throw OAuthError.missingSecret }
        if let text = wanted.redirectURI {
            guard let uri = RedirectURI(text), client.allowsRedirect(to: uri) else {
                throw OAuthError.unregisteredRedirect
            }
        }
        guard wanted.resource != nil || wanted.scopes.namePermissions else { throw OAuthError.missing(.resource) }
        let scope = try resources.grant(scope: wanted.scopes.text, resource: wanted.resource, to: client)
        return Response(
            json: try await issuer.deviceReply(
                DeviceGrant(device: device, tenant: tenant, client: client, scope: scope, keys: keys)))
    }
}

/// The contents of a device token.
struct DeviceGrant: Sendable {
    let device: Device
    let tenant: Tenant
    let client: Client
    let scope: GrantedScope
    /// The organisation's signing keys, if they were read together with the other data.
    let keys: [TenantKey]?
}

extension TokenIssuer {
    /// Returns the members of a response that contains a device token.
    ///
    /// - Throws: ``StorageError``, or an error of the cryptography library.
    func deviceReply(_ grant: DeviceGrant) async throws -> MembersWriter {
        let now = environment.now()
        let lifetime =
            grant.device.binding.isShared ? lifetimes.sharedDeviceAccessToken : lifetimes.accessToken
        let seconds = Int(lifetime.components.seconds)
        var members = MembersWriter()
        members.set(ReplyName.tokenType, "Bearer")
        members.set(ReplyName.expiresIn, String(seconds))
        members.set(ReplyName.extendedExpiresIn, String(seconds))
        members.set(ReplyName.expiresOn, String(Int(now.seconds) + seconds))
        members.set(ReplyName.notBefore, String(Int(now.seconds)))
        members.set(ReplyName.resource, grant.scope.audience)
        members.set(ReplyName.accessToken, try await deviceToken(grant, from: now, to: now + lifetime))
        return members
    }

    /// Returns a signed device token. It does not name a person or a session, and does not contain a person's
    /// permissions.
    private func deviceToken(_ grant: DeviceGrant, from begin: Timestamp, to end: Timestamp) async throws -> String {
        var claims = MembersWriter()
        claims.set(ClaimName.audience, grant.scope.audience)
        claims.set(ClaimName.issuer, issuer(grant.tenant.id))
        claims.set(ClaimName.issuedAt, Int(begin.seconds))
        claims.set(ClaimName.notBefore, Int(begin.seconds))
        claims.set(ClaimName.expiresAt, Int(end.seconds))
        claims.set(ClaimName.appID, grant.client.id.rawValue)
        claims.set(ClaimName.appIDAuthenticationClass, "0")
        claims.set(ClaimName.deviceID, grant.device.id.rawValue)
        claims.set(ClaimName.identityType, "device")
        claims.set(ClaimName.objectID, grant.device.objectID.rawValue)
        claims.set(ClaimName.subject, grant.device.objectID.rawValue)
        claims.set(ClaimName.tenantID, grant.tenant.id.rawValue)
        claims.set(ClaimName.tokenID, Base64URL.encode(environment.randomBytes(16)))
        claims.set(ClaimName.version, "1.0")
        let algorithm = grant.client.tokenAlgorithm
        let key = try await keys.current(of: grant.tenant.id, algorithm, among: grant.keys)
        return try key.signer.token(payload: claims.bytes)
    }
}
