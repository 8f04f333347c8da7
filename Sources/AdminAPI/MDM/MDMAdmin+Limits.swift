// SPDX-License-Identifier: Apache-2.0

/// The limits of members that device management enforces, and the values of members with a fixed list of them.

extension MDMAdmin.NewEnrollment: LimitedMembers {
    static let limits: [String: SchemaLimits] = ["name": .managedName, "takesOver": .objectName]
}

extension MDMAdmin.Enrollment: LimitedMembers {
    static let limits: [String: SchemaLimits] = ["state": .oneOf("issued", "bound", "renewing")]
}

extension MDMAdmin.Device: LimitedMembers {
    static let limits: [String: SchemaLimits] = ["state": .oneOf("authenticated", "enrolled", "left")]
}

extension MDMAdmin.Command: LimitedMembers {
    static let limits: [String: SchemaLimits] = [
        "state": .oneOf("queued", "sent", "notNow", "acknowledged", "error", "formatError", "dropped")
    ]
}

extension MDMAdmin.Profile: LimitedMembers {
    static let limits: [String: SchemaLimits] = ["outcome": .oneOf("added", "replaced", "unchanged")]
}

extension MDMAdmin.NewApp: LimitedMembers {
    static let limits: [String: SchemaLimits] = [
        "bundleIdentifier": .length(1...128, #"^[A-Za-z0-9_-]+\.[A-Za-z0-9._-]*$"#),
        "version": .length(1...128, #"^[A-Za-z0-9_-][A-Za-z0-9._-]*$"#), "title": .managedName,
    ]
}

extension MDMAdmin.App: LimitedMembers {
    static let limits: [String: SchemaLimits] = ["sha256": .pattern("^[0-9a-f]{64}$")]
}

extension MDMAdmin.AuditEntry: LimitedMembers {
    static let limits: [String: SchemaLimits] = ["interface": .oneOf("socket", "https", "graph")]
}
