// SPDX-License-Identifier: Apache-2.0

/// A rule for profiles.
package protocol ProfileRule<Subject>: SendableMetatype {
    /// The type of values that the rule checks.
    associatedtype Subject
    static var code: ProfileFinding.Code { get }
    static var severity: ProfileFinding.Severity { get }
    /// The rule's source: the document and its key or section, with a quotation if there is one.
    static var source: String { get }
    /// The administrator's remedy for a breach, as sentences.
    static var remedy: String { get }

    /// Returns every breach of the rule.
    static func breaches(in subject: Subject) -> [ProfileRuleBreach]
}

/// One breach of a ``ProfileRule``.
package struct ProfileRuleBreach {
    /// The payload's identifier, if the breach is in one payload.
    let payload: String?
    /// The problem, without a full stop.
    let message: String

    init(in payload: String? = nil, _ message: String) {
        self.payload = payload
        self.message = message
    }
}

extension ProfileRule {
    package static var severity: ProfileFinding.Severity { .error }

    static func findings(in subject: Subject) -> [ProfileFinding] {
        breaches(in: subject).map { breach in
            ProfileFinding(
                code, severity: severity, payload: breach.payload, message: breach.message, remedy: remedy)
        }
    }
}

/// The subject of most rules: a profile, how it is delivered, and the settings that the device already has.
package struct LintedProfile {
    let profile: Profile
    let delivery: ProfileLinter.Delivery
    let audience: ProfileLinter.Audience
    /// URLs of the device's other single sign-on profiles, in ``SSOURL/canonical(_:)`` form.
    let takenURLs: Set<String>
    /// The types of the payloads in other profiles on the device.
    let taken: Set<Payload.Kind>
    /// The profile's raw property list; nil if it was not read from one.
    let propertyList: PropertyList?

    /// The enrollment payloads, each with its identifier.
    var enrollments: [(identifier: String, enrollment: EnrollmentPayload)] {
        profile.payloads.compactMap { payload in
            if case .enrollment(let enrollment) = payload.content { (payload.identifier, enrollment) } else { nil }
        }
    }

    /// The raw payloads; empty if the profile was not read from a property list.
    var rawPayloads: [[String: PropertyList]] {
        guard case .dictionary(let members)? = propertyList,
            case .array(let payloads) = members[PropertyKey.payloadContent.rawValue]
        else { return [] }
        return payloads.compactMap { if case .dictionary(let members) = $0 { members } else { nil } }
    }

    /// The payloads with types that Baton does not support, each with its identifier.
    var unknownTypes: [(identifier: String, type: String)] {
        profile.payloads.compactMap { payload in
            if case .unknown(let type) = payload.content { (payload.identifier, type) } else { nil }
        }
    }

    /// The single sign-on payloads, each with its identifier.
    var singleSignOns: [(identifier: String, sso: SSOPayload)] {
        profile.payloads.compactMap { payload in
            if case .extensibleSSO(let sso) = payload.content { (payload.identifier, sso) } else { nil }
        }
    }
}
