// SPDX-License-Identifier: Apache-2.0
internal import JSON

extension OfflineLease {
    /// Returns the lease as a compact JWS, signed with the organisation's key.
    ///
    /// - Throws: the error of the cryptography library.
    package func signed(with key: SigningKey, keyID: String) throws -> String {
        var header = MembersWriter()
        header.set(HeaderName.type, Self.type)
        header.set(HeaderName.algorithm, key.algorithm.rawValue)
        header.set(HeaderName.keyID, keyID)
        return try TokenSigner(key: key, header: header).token(payload: payload)
    }

    private var payload: [UInt8] {
        var claims = MembersWriter()
        claims.set(ClaimName.audience, Self.audience)
        claims.set(OfflineName.leaseID, id)
        claims.set(ClaimName.tenantID, tenant)
        claims.set(ClaimName.deviceID, device)
        // There is no `oid` and no `sid`, so no code that accepts user tokens can mistake a lease for a user token.
        claims.set(ClaimName.subject, person.id)
        claims.set(ClaimName.preferredUsername, person.userName)
        claims.set(ClaimName.name, person.displayName)
        claims.set(ClaimName.givenName, person.givenName)
        claims.set(ClaimName.familyName, person.familyName)
        claims.set(ClaimName.issuedAt, issued)
        claims.set(ClaimName.expiresAt, ends)
        claims.set(OfflineName.poweredSeconds, limits.poweredSeconds)
        claims.set(OfflineName.boots, limits.boots)
        claims.set(OfflineName.attempts, limits.attempts)
        claims.set(OfflineName.credentials, credentials.map(\.rawValue).sorted())
        if let password { claims.set(OfflineName.password, password.members) }
        claims.set(OfflineName.receiptSubjects, receiptSubjects)
        return claims.bytes
    }

    /// Reads a lease that `key` signed.
    ///
    /// - Throws: ``JOSEFailure``, including `malformed` if the signed content is not a lease. Unknown credentials are
    ///   ignored.
    package init(_ text: String, signedBy key: VerificationKey) throws(JOSEFailure) {
        let token = try CompactJWS(text)
        try token.verify(with: key)
        guard token.header[HeaderName.type] == .string(Self.type) else { throw .malformed }
        do { try self.init(claims: token.claims()) } catch { throw .malformed }
    }

    private init(claims: Members) throws {
        guard try claims.string(ClaimName.audience) == Self.audience else { throw JOSEFailure.malformed }
        let limits = Limits(
            poweredSeconds: try claims.integer(OfflineName.poweredSeconds),
            boots: try claims.integer(OfflineName.boots),
            attempts: try claims.integer(OfflineName.attempts))
        guard limits.poweredSeconds >= 0, limits.boots >= 0, limits.attempts > 0 else { throw JOSEFailure.malformed }
        self.init(
            id: try claims.string(OfflineName.leaseID), tenant: try claims.string(ClaimName.tenantID),
            device: try claims.string(ClaimName.deviceID),
            person: Person(
                id: try claims.string(ClaimName.subject), userName: try claims.string(ClaimName.preferredUsername),
                displayName: try claims.string(ClaimName.name),
                givenName: try claims.optionalString(ClaimName.givenName),
                familyName: try claims.optionalString(ClaimName.familyName)),
            issued: try claims.integer(ClaimName.issuedAt), ends: try claims.integer(ClaimName.expiresAt),
            limits: limits,
            credentials: Set((try claims.strings(OfflineName.credentials) ?? []).compactMap(Credential.init)),
            password: try claims.members(OfflineName.password).map { try OfflinePassword($0) },
            receiptSubjects: try claims.strings(OfflineName.receiptSubjects) ?? [])
    }
}
