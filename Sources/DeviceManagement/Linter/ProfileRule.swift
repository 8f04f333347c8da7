// SPDX-License-Identifier: Apache-2.0

/// A rule that profiles must obey on a device.
package protocol ProfileRule<Subject>: SendableMetatype {
    /// What the rule looks at.
    associatedtype Subject
    static var code: ProfileFinding.Code { get }
    static var severity: ProfileFinding.Severity { get }
    /// Who set the rule: the document and the key or section of it, with its words where it has any.
    static var source: String { get }
    /// What the administrator does about a breach, in sentences.
    static var remedy: String { get }

    /// Returns every breach of the rule.
    static func breaches(in subject: Subject) -> [ProfileRuleBreach]
}

/// One breach of a ``ProfileRule``.
package struct ProfileRuleBreach {
    /// The payload's identifier, where one payload is meant.
    let payload: String?
    /// What is wrong, without a full stop.
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

/// What most rules look at: a profile, the way by which it comes, and what the device has already.
package struct LintedProfile {
    let profile: Profile
    let delivery: ProfileLinter.Delivery
    let audience: ProfileLinter.Audience
    /// URLs of the device's other single sign-on profiles, in ``SSOURL/canonical(_:)`` form.
    let takenURLs: Set<String>
    /// The profile as it was read; nil for one that was not.
    let propertyList: PropertyList?

    /// The enrollment payloads, each with its identifier.
    var enrollments: [(identifier: String, enrollment: EnrollmentPayload)] {
        profile.payloads.compactMap { payload in
            if case .enrollment(let enrollment) = payload.content { (payload.identifier, enrollment) } else { nil }
        }
    }

    /// The payloads as they were read; none of a profile that was not.
    var rawPayloads: [[String: PropertyList]] {
        guard case .dictionary(let members)? = propertyList,
            case .array(let payloads) = members[PropertyKey.payloadContent.rawValue]
        else { return [] }
        return payloads.compactMap { if case .dictionary(let members) = $0 { members } else { nil } }
    }

    /// The payloads of types that Baton does not know, each with its identifier.
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
