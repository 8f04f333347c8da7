// SPDX-License-Identifier: Apache-2.0

extension AdminOperation {
    /// A placeholder in a path.
    package struct Place: Sendable {
        package let name: String
        package let meaning: String
        /// The codes of refusals if the path names nothing, or more than one thing.
        let errors: [String]

        /// The possible names.
        var limits: SchemaLimits {
            name == "permission" ? SchemaLimits(values: AdminOperation.permissions) : .objectName
        }
    }

    /// The placeholders of the path, in their order.
    package var places: [Place] {
        path.matches(of: /\{(\w+)\}/).map { match in
            let name = String(match.output.1)
            let known = engine == "mdm" ? Self.managementPlaces : Self.directoryPlaces
            let (meaning, errors) = known[name] ?? ("The id.", [])
            return Place(name: name, meaning: meaning, errors: errors.map { "\(engine).\($0)" })
        }
    }

    /// The codes with which the operation can be refused, in alphabetical order.
    package var errors: [String] {
        let isParsed = body() != nil || query.contains(where: \.isRequired) || !places.isEmpty
        let general = (isParsed ? ["\(engine).malformed"] : []) + ["\(engine).fault"]
        return Set(general + places.flatMap(\.errors) + specificErrors).sorted()
    }

    /// The engine that serves the operation: `identity` or `mdm`.
    package var engine: String { path.hasPrefix("/mdm/") ? "mdm" : "identity" }

    private typealias Places = [String: (meaning: String, errors: [String])]

    private static let tenant = (
        meaning: "The tenant's id, its domain, or `-` for the only tenant.",
        errors: ["tenant.missing", "tenant.none", "tenant.ambiguous"]
    )

    private static let deviceNames =
        "The device id, object id or UDID, or a name or serial number that only one device has."

    private static let directoryPlaces: Places = [
        "tenant": tenant,
        "user": ("The person's object id or user principal name.", ["user.missing"]),
        "session": ("The session's id.", ["session.missing"]),
        "group": ("The group's id, or a name that only one group has.", ["group.missing", "group.ambiguous"]),
        "role": ("The role's template id or name.", ["role.missing"]),
        "client": ("The client id, or a name that only one client has.", ["client.missing", "client.ambiguous"]),
        "secret": ("The secret's id.", ["client.secret.missing"]),
        "key": ("The key's id.", ["client.key.missing"]),
        "permission": ("The name of a permission for administration.", ["client.permission"]),
        "subject": ("The pseudonym in a receipt.", ["receipt.subject.missing"]),
        "grant": ("The id of the grant.", ["breakGlass.missing"]),
        "device": (deviceNames, ["device.missing", "device.ambiguous", "device.notJoined"]),
    ]

    private static let managementPlaces: Places = [
        "tenant": tenant,
        "enrollment": ("The id of the enrollment profile.", ["enrollment.missing"]),
        "device": (deviceNames, ["device.missing", "device.ambiguous", "device.notManaged"]),
        "profile": ("The profile's identifier, or a name that only one profile has.", ["profile.ambiguous"]),
        "app": ("The app's bundle identifier, or a title that only one app has.", ["app.ambiguous"]),
    ]
}
