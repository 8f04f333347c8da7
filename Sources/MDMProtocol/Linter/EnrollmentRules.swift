// SPDX-License-Identifier: Apache-2.0

/// A profile that enrolls a device must name a management server.
enum EnrollmentPresent: ProfileRule {
    static let code = ProfileFinding.Code.enrollmentMissing
    static let source = "Apple, com.apple.mdm.yaml, `payloadtype`"
    static let remedy = "Have the management server make the enrollment profile."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        guard subject.delivery == .enrollment, subject.enrollments.isEmpty else { return [] }
        return [ProfileRuleBreach("an enrollment profile needs a com.apple.mdm payload")]
    }
}

/// A profile that the server pushes must not change the enrollment.
enum EnrollmentNotPushed: ProfileRule {
    static let code = ProfileFinding.Code.enrollmentPushed
    static let source = "Apple, com.apple.mdm.yaml, `Topic`, `ServerURL`, `CheckInURL`: \"must not change\""
    static let remedy = "Remove the com.apple.mdm payload; the server renews enrollments by itself."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        guard subject.delivery == .push, !subject.enrollments.isEmpty else { return [] }
        return [ProfileRuleBreach("a pushed profile must not change the enrollment")]
    }
}

/// A profile must not name more than one management server.
enum OneEnrollment: ProfileRule {
    static let code = ProfileFinding.Code.enrollmentTwice
    static let source = "Apple, com.apple.mdm.yaml, `supportedOS`, `multiple: false`"
    static let remedy = "Keep only one com.apple.mdm payload in the profile."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        guard subject.delivery == .enrollment, subject.enrollments.count > 1 else { return [] }
        return [ProfileRuleBreach("a device can have only one management server")]
    }
}

/// The enrollment must name an identity in the same profile.
enum EnrollmentIdentity: ProfileRule {
    static let code = ProfileFinding.Code.enrollmentIdentity
    static let source = "Apple, com.apple.mdm.yaml, `IdentityCertificateUUID`"
    static let remedy =
        "Set IdentityCertificateUUID to the PayloadUUID of the profile's com.apple.security.pkcs12 payload."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        subject.enrollments.filter { entry in
            !subject.profile.payloads.contains {
                if case .identity = $0.content { $0.uuid == entry.enrollment.identityUUID } else { false }
            }
        }.map {
            ProfileRuleBreach(
                in: $0.identifier, "IdentityCertificateUUID names no identity payload of this profile")
        }
    }
}

/// The topic of push notifications must have Apple's prefix.
enum EnrollmentTopic: ProfileRule {
    static let code = ProfileFinding.Code.enrollmentTopic
    static let source = "Apple, com.apple.mdm.yaml, `Topic`: \"must begin with the 'com.apple.mgmt.' prefix\""
    static let remedy = "Set Topic to \(EnrollmentPayload.topicPrefix) followed by a name."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        subject.enrollments.filter { entry in
            let topic = entry.enrollment.topic
            return !topic.hasPrefix(EnrollmentPayload.topicPrefix) || topic == EnrollmentPayload.topicPrefix
        }.map { ProfileRuleBreach(in: $0.identifier, "Topic does not begin with \(EnrollmentPayload.topicPrefix)") }
    }
}

/// The URLs of the management server must use TLS.
enum EnrollmentURLs: ProfileRule {
    static let code = ProfileFinding.Code.enrollmentURL
    static let source =
        "Apple, com.apple.mdm.yaml, `ServerURL`, `CheckInURL`: \"must begin with the 'https://' URL scheme\""
    static let remedy = "Give an address that begins with https://."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        subject.enrollments.flatMap { entry in
            [entry.enrollment.serverURL, entry.enrollment.effectiveCheckInURL].filter { !$0.hasPrefix("https://") }
                .map { ProfileRuleBreach(in: entry.identifier, "\($0) does not begin with https://") }
        }
    }
}

/// The server's rights must be non-empty, known, and complete.
enum EnrollmentRights: ProfileRule {
    static let code = ProfileFinding.Code.enrollmentRights
    static let source =
        "Apple, com.apple.mdm.yaml, `AccessRights`: \"Don't set to '0'. Specify '1' if you specify '2'. Specify '64' if you specify '128'.\""
    static let remedy =
        "Set AccessRights to \(AccessRights.sharedDevice.rawValue), which is what shared device mode needs."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        subject.enrollments.filter { !isComplete($0.enrollment.accessRights) }.map {
            ProfileRuleBreach(
                in: $0.identifier,
                "AccessRights \($0.enrollment.accessRights.rawValue) is empty, unknown, or lacks a right that another needs"
            )
        }
    }

    private static func isComplete(_ rights: AccessRights) -> Bool {
        let needs: [(AccessRights, AccessRights)] = [
            (.changeProfiles, .inspectProfiles), (.changeProvisioning, .inspectProvisioning),
        ]
        return !rights.isEmpty && AccessRights.all.isSuperset(of: rights)
            && needs.allSatisfy { right, base in !rights.contains(right) || rights.contains(base) }
    }
}

/// The input of the rules for a re-issued enrollment.
package struct EnrollmentUpdate {
    let previous: EnrollmentPayload
    let next: EnrollmentPayload
}

/// An update must not change the server or the topic.
enum FixedEnrollmentKeys: ProfileRule {
    static let code = ProfileFinding.Code.enrollmentImmutable
    static let source =
        "Apple, com.apple.mdm.yaml, `Topic`, `ServerURL`, `CheckInURL`: \"When updating the payload, the value of this key must not change.\""
    static let remedy = "Unenroll the device and enroll it again, or issue the profile with the former value."

    static func breaches(in update: EnrollmentUpdate) -> [ProfileRuleBreach] {
        let (previous, next) = (update.previous, update.next)
        let fixed: [(PropertyKey, Bool)] = [
            (.topic, previous.topic == next.topic),
            (.serverURL, previous.serverURL == next.serverURL),
            (.checkInURL, previous.checkInURL == next.checkInURL),
        ]
        return fixed.filter { !$0.1 }.map {
            ProfileRuleBreach("\($0.0.rawValue) cannot change without a new enrollment")
        }
    }
}

/// An update must not give the server additional rights.
enum NoNewRights: ProfileRule {
    static let code = ProfileFinding.Code.enrollmentRightsGrew
    static let source =
        "Apple, com.apple.mdm.yaml, `AccessRights`: \"When updating the payload, the addition of any access right is an error\""
    static let remedy = "Unenroll the device and enroll it again, or issue the profile without the new rights."

    static func breaches(in update: EnrollmentUpdate) -> [ProfileRuleBreach] {
        guard !update.previous.accessRights.isSuperset(of: update.next.accessRights) else { return [] }
        return [ProfileRuleBreach("rights cannot grow without a new enrollment")]
    }
}
