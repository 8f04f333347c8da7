// SPDX-License-Identifier: Apache-2.0

/// The limits of members that the identity platform enforces, and the values of members with a fixed list of them.

extension IdentityAdmin.NewTenant: LimitedMembers {
    static let limits: [String: SchemaLimits] = ["displayName": .displayName, "domain": .length(3...253)]
}

extension IdentityAdmin.Branding: LimitedMembers {
    static let limits: [String: SchemaLimits] = ["colour": .pattern("^#[0-9A-Fa-f]{6}$")]
}

extension IdentityAdmin.NewUser: LimitedMembers {
    static let limits: [String: SchemaLimits] = [
        "userPrincipalName": .length(3...256, "^[!-?A-~]+@[!-?A-~]+$"), "password": .length(8...256),
        "displayName": .displayName, "givenName": .givenName, "surname": .surname, "mail": .mail,
        "jobTitle": .jobTitle, "mobilePhone": .mobilePhone,
    ]
}

extension IdentityAdmin.NewPassword: LimitedMembers {
    static let limits: [String: SchemaLimits] = ["password": .length(8...256)]
}

extension IdentityAdmin.UserChange: LimitedMembers {
    static let limits: [String: SchemaLimits] = [
        "displayName": .displayName, "givenName": .givenName, "surname": .surname, "mail": .mail,
        "jobTitle": .jobTitle, "mobilePhone": .mobilePhone,
    ]
}

extension IdentityAdmin.NewGroup: LimitedMembers {
    static let limits: [String: SchemaLimits] = [
        "displayName": .displayName, "mailNickname": .length(1...64, "^[!-?A-~]+$"),
        "description": .description,
    ]
}

extension IdentityAdmin.NewClient: LimitedMembers {
    static let limits: [String: SchemaLimits] = [
        "displayName": .displayName, "redirectURIs": .count(0...32), "postLogoutRedirectURIs": .count(0...32),
        "tokenAlgorithm": algorithms,
    ]

    fileprivate static let algorithms = SchemaLimits.oneOf("RS256", "ES256")
}

extension IdentityAdmin.Client: LimitedMembers {
    static let limits: [String: SchemaLimits] = ["tokenAlgorithm": IdentityAdmin.NewClient.algorithms]
}

extension IdentityAdmin.SigningKey: LimitedMembers {
    static let limits: [String: SchemaLimits] = ["algorithm": IdentityAdmin.NewClient.algorithms]
}

extension IdentityAdmin.NewClientKey: LimitedMembers {
    static let limits: [String: SchemaLimits] = ["name": .displayName]
}

extension IdentityAdmin.ClientKey: LimitedMembers {
    static let limits: [String: SchemaLimits] = ["kind": .oneOf("RSA", "P-256")]
}

extension IdentityAdmin.OfflineRules: LimitedMembers {
    static let limits: [String: SchemaLimits] = [
        "credentials": .oneOf("password", "pin", "pin-without-tpm"), "wallSeconds": .range(60...604_800),
        "poweredSeconds": .range(60...604_800), "boots": .range(0...100), "attempts": .range(1...20),
    ]
}

extension IdentityAdmin.NewBreakGlassGrant: LimitedMembers {
    static let limits: [String: SchemaLimits] = [
        "user": .objectName, "reason": .length(10...300), "minutes": .range(1...240),
    ]
}

extension IdentityAdmin.Device: LimitedMembers {
    static let limits: [String: SchemaLimits] = [
        "trustType": .oneOf("AzureAd", "Workplace"), "profileType": .oneOf("RegisteredDevice", "Shared"),
    ]
}

extension IdentityAdmin.AuditEntry: LimitedMembers {
    static let limits: [String: SchemaLimits] = ["interface": .oneOf("socket", "https", "graph")]
}
