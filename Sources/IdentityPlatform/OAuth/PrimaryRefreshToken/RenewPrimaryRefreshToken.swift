// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

/// Replaces a PRT with a new one that has the same session key. The new PRT is valid for the full lifetime again, but
/// not beyond the limit, which is counted from the sign-in.
struct RenewPrimaryRefreshToken: Sendable {
    let tokens: TokenTransactions
    let storageKey: StorageKey

    struct Renewal: Sendable {
        let token: OpaqueToken
        let issued: IssuedPrimaryRefreshToken
    }

    /// Renews in one transaction. The new token is derived from the old one, so that a device that did not receive the
    /// response can get the same token again.
    ///
    /// - Throws: ``OAuthError``, ``StorageError``, or an error of the cryptography library.
    func renew(_ use: VerifiedUse) async throws -> Renewal {
        let (key, label) = (storageKey, "renewed PRT")
        let next = OpaqueToken(tenant: use.primary.tenant, secret: key.derived(label, use.primary.hash))
        // An older version of the server may already have issued the next token, with the former derivation.
        let former = OpaqueToken(tenant: use.primary.tenant, secret: key.formerlyDerived(label, use.primary.hash))
        let sealedKey = try key.seal(use.key, of: next)
        let (token, outcome) = try await tokens.write { transaction in
            let token = try PrimaryRefreshTokens(transaction.connection).find(former) == nil ? next : former
            return (token, try settle(use, by: token, sealedKey: sealedKey, in: transaction))
        }
        switch outcome {
        case .renewed(let issued): return Renewal(token: token, issued: issued)
        case .refused(let error): throw error
        }
    }
}

/// The outcome of a renewal. A refusal is returned, not thrown, because the transaction must be committed: if two
/// parties have the token, the transaction ends the session.
private enum Outcome: Sendable {
    case renewed(IssuedPrimaryRefreshToken)
    case refused(OAuthError)
}

private func settle(
    _ use: VerifiedUse, by next: OpaqueToken, sealedKey: [UInt8], in transaction: TokenTransaction
) throws -> Outcome {
    let (connection, now) = (transaction.connection, transaction.now)
    let tokens = PrimaryRefreshTokens(connection)
    guard let record = try tokens.find(use.primary) else { return .refused(.badGrant) }
    let live = try LiveSession(record.session, tenant: record.tenant, connection)
    func issued(_ expires: Timestamp) -> Outcome {
        .renewed(
            IssuedPrimaryRefreshToken(
                user: live.person, session: live.session, client: use.grant.client.id, expires: expires))
    }
    let successor = try tokens.find(next)
    switch RenewalRule.judge(record, successor: successor, isRenewal: true, at: now) {
    case .expired, .renewed: return .refused(.expiredGrant)
    case .repeated: return issued(successor?.expires ?? record.expires)
    case .reused:
        try AuditLog(connection).append(
            AuditLine(
                .primaryTokenReplayed, tenant: record.tenant, actor: record.device.rawValue,
                subject: record.session.rawValue, outcome: "refused", at: now))
        try Sessions(connection).end(
            record.session, tenant: record.tenant, at: now, because: .replayed, by: record.device.rawValue)
        return .refused(.renewedToken)
    case .good: break
    }
    let devices = transaction.configuration.devices
    let expires = min(
        now + devices.primaryRefreshTokenLifetime, live.session.begun + devices.primaryRefreshTokenLimit)
    guard expires > now else { return .refused(.expiredGrant) }
    try tokens.renew(
        use.primary, record, by: next,
        as: StoredPrimaryRefreshToken(
            tenant: record.tenant, session: record.session, device: record.device, client: record.client,
            sealedSessionKey: sealedKey, proofFamily: record.proofFamily, family: record.family, expires: expires,
            renewed: nil, isConfirmed: false), at: now)
    return issued(expires)
}
