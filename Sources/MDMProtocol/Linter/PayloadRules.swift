// SPDX-License-Identifier: Apache-2.0

/// The file must be a property list.
enum ReadablePropertyList: ProfileRule {
    static let code = ProfileFinding.Code.unreadable
    static let source = "Apple, TopLevel.yaml: the keys of a property list"
    static let remedy =
        "Give the profile as an XML property list; only `baton admin profile add` accepts a signed profile."

    static func breaches(in error: any Error) -> [ProfileRuleBreach] {
        guard error is PropertyListError else { return [] }
        return [ProfileRuleBreach("the profile is not a property list that Baton can read: \(error)")]
    }
}

/// Every key that a profile needs must be present, with a value of the right type.
enum WellFormedProfile: ProfileRule {
    static let code = ProfileFinding.Code.malformed
    static let source = "Apple, TopLevel.yaml and CommonPayloadKeys.yaml: keys with `presence: required`"
    static let remedy = "Add the key that the message names, or give it a value of the type in Apple's schema."

    static func breaches(in error: any Error) -> [ProfileRuleBreach] {
        error is PropertyListError ? [] : [ProfileRuleBreach("\(error)")]
    }
}

/// No two payloads of a profile may have the same identifier.
enum UniquePayloadIdentifiers: ProfileRule {
    static let code = ProfileFinding.Code.duplicatePayloadIdentifier
    static let source = "Apple, CommonPayloadKeys.yaml, `PayloadIdentifier`: \"must be unique within the profile\""
    static let remedy = "Give each payload a PayloadIdentifier of its own."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        var seen: Set<String> = []
        return subject.profile.payloads.filter { !seen.insert($0.identifier).inserted }.map {
            ProfileRuleBreach(
                in: $0.identifier, "another payload of the profile has the same PayloadIdentifier")
        }
    }
}

/// No two payloads may have the same UUID, and no payload may have the profile's UUID.
enum UniquePayloadUUIDs: ProfileRule {
    static let code = ProfileFinding.Code.duplicatePayloadUUID
    static let source = "Apple, CommonPayloadKeys.yaml, `PayloadUUID`: \"must be globally unique\""
    static let remedy = "Give the profile and each payload a PayloadUUID of its own."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        var seen: Set<String> = [subject.profile.uuid]
        return subject.profile.payloads.filter { !seen.insert($0.uuid).inserted }.map {
            ProfileRuleBreach(in: $0.identifier, "the profile or another payload has the same PayloadUUID")
        }
    }
}

/// A payload must have a type that Baton's devices support. If the profile is also for Apple's devices, the payload may
/// have one of Apple's types.
enum KnownPayloadTypes: ProfileRule {
    static let code = ProfileFinding.Code.unknownPayloadType
    static let source = "Baton; Apple, CommonPayloadKeys.yaml, `PayloadType`"
    static let remedy = "Remove the payload, or correct its PayloadType; for iPads make a profile of its own."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        subject.unknownTypes.filter { subject.audience == .batonDevices || !ForeignPayloadTypes.isApples($0.type) }.map
        {
            ProfileRuleBreach(
                in: $0.identifier, "Baton's devices do not know the type \($0.type) and refuse the profile as a whole")
        }
    }
}

/// Warns about a payload with a type that only Apple's devices support.
enum ForeignPayloadTypes: ProfileRule {
    static let code = ProfileFinding.Code.foreignPayloadType
    static let severity = ProfileFinding.Severity.warning
    static let source = "Baton; Apple, CommonPayloadKeys.yaml, `PayloadType`"
    static let remedy = "Push the profile only to Apple's devices; Baton's devices refuse it as a whole."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        guard subject.audience == .anyDevice else { return [] }
        return subject.unknownTypes.filter { isApples($0.type) }.map {
            ProfileRuleBreach(in: $0.identifier, "Baton does not support or check the type \($0.type)")
        }
    }

    static func isApples(_ type: String) -> Bool { type.hasPrefix("com.apple.") && type != "com.apple." }
}

/// A payload should have only keys that its type defines.
enum KnownPayloadKeys: ProfileRule {
    static let code = ProfileFinding.Code.unknownKey
    static let severity = ProfileFinding.Severity.warning
    static let source = "Apple, CommonPayloadKeys.yaml and the type's own page: `payloadkeys`"
    static let remedy = "Correct the spelling or remove the key; devices ignore it."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        unknown(in: subject) { $0 != .browser && $0 != .homeScreen }
    }

    /// Returns a breach for each key that the payload's type does not define. Checks only payloads of the types that
    /// `isAskedFor` accepts.
    static func unknown(
        in subject: LintedProfile, where isAskedFor: (Payload.Kind) -> Bool
    ) -> [ProfileRuleBreach] {
        subject.rawPayloads.flatMap { members -> [ProfileRuleBreach] in
            guard case .string(let type) = members[PropertyKey.payloadType.rawValue],
                let kind = Payload.Kind(rawValue: type), isAskedFor(kind)
            else { return [] }
            var identifier: String?
            if case .string(let text) = members[PropertyKey.payloadIdentifier.rawValue] { identifier = text }
            let known = keys(of: kind)
            return members.keys.filter { !known.contains($0) }.sorted().map {
                ProfileRuleBreach(in: identifier, "\($0) is not a key of \(type)")
            }
        }
    }

    /// Returns every key that Apple's schema lists for a type on iOS and macOS.
    private static func keys(of kind: Payload.Kind) -> Set<String> {
        let common: [PropertyKey] = [
            .payloadDescription, .payloadDisplayName, .payloadIdentifier, .payloadOrganization, .payloadType,
            .payloadUUID, .payloadVersion,
        ]
        let own: [PropertyKey] =
            switch kind {
            case .enrollment:
                [
                    .accessRights, .checkInURL, .checkOutWhenRemoved, .identityCertificateUUID, .serverURL,
                    .signMessage, .topic,
                ]
            case .identity: [.password, .payloadCertificateFileName, .payloadContent]
            case .rootCertificate: [.payloadCertificateFileName, .payloadContent]
            case .extensibleSSO:
                [
                    .deniedBundleIdentifiers, .extensionData, .extensionIdentifier, .hosts, .realm,
                    .screenLockedBehavior, .teamIdentifier, .type, .urls,
                ]
            case .browser:
                [.allowPrinting, .allowedAddresses, .blockedAddresses, .certificates, .homePage, .newTabPage]
            case .homeScreen: [.colour, .contact, .logo, .organisation, .preferredDomain, .tiles]
            }
        return Set((common + own).map(\.rawValue))
    }
}
