// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import JSON

extension MSALAccount {
    /// An account that the broker says is signed in, with its one tenant profile (ACC-3, ACC-4).
    convenience init(_ record: AccountRecord) {
        let home = MSALAccountId(identifier: record.homeAccountID).tenantId
        let isHome = home != nil && home?.lowercased() == record.realm.lowercased()
        let claims = ClaimSet(record.idTokenClaims)?.forApps
        let profile = MSALTenantProfile(
            identifier: record.localAccountID, environment: record.environment, tenantId: record.realm,
            isHomeTenantProfile: isHome, claims: claims)
        self.init(
            identifier: record.homeAccountID, username: record.username, environment: record.environment,
            accountClaims: isHome ? claims : nil, tenantProfiles: [profile], isSSOAccount: true)
    }
}
