// SPDX-License-Identifier: Apache-2.0

extension ProfileLinter {
    func findings(in enrollment: EnrollmentPayload, payload: String, of profile: Profile) -> [ProfileFinding] {
        var findings: [ProfileFinding] = []
        func add(_ code: ProfileFinding.Code, _ message: String) {
            findings.append(ProfileFinding(code, payload: payload, message))
        }
        let hasIdentity = profile.payloads.contains {
            if case .identity = $0.content { $0.uuid == enrollment.identityUUID } else { false }
        }
        if !hasIdentity {
            add(.enrollmentIdentity, "IdentityCertificateUUID names no identity payload of this profile")
        }
        let topic = enrollment.topic
        if !topic.hasPrefix(EnrollmentPayload.topicPrefix) || topic == EnrollmentPayload.topicPrefix {
            add(.enrollmentTopic, "Topic must begin with \(EnrollmentPayload.topicPrefix)")
        }
        for url in [enrollment.serverURL, enrollment.effectiveCheckInURL] where !url.hasPrefix("https://") {
            add(.enrollmentURL, "\(url) must begin with https://")
        }
        let rights = enrollment.accessRights
        let needs: [(AccessRights, AccessRights)] = [
            (.changeProfiles, .inspectProfiles), (.changeProvisioning, .inspectProvisioning),
        ]
        let isComplete = needs.allSatisfy { right, base in !rights.contains(right) || rights.contains(base) }
        if rights.isEmpty || !AccessRights.all.isSuperset(of: rights) || !isComplete {
            add(
                .enrollmentRights,
                "AccessRights \(rights.rawValue) is empty, unknown, or lacks a right that another needs")
        }
        return findings
    }

    /// What an enrollment profile may not change when it is issued again to a device that has `previous`.
    package static func changes(from previous: EnrollmentPayload, to next: EnrollmentPayload) -> [ProfileFinding] {
        var findings: [ProfileFinding] = []
        let fixed: [(PropertyKey, Bool)] = [
            (.topic, previous.topic == next.topic),
            (.serverURL, previous.serverURL == next.serverURL),
            (.checkInURL, previous.checkInURL == next.checkInURL),
        ]
        for (key, isSame) in fixed where !isSame {
            let message = "\(key.rawValue) cannot change without a new enrollment"
            findings.append(ProfileFinding(.enrollmentImmutable, message))
        }
        if !previous.accessRights.isSuperset(of: next.accessRights) {
            findings.append(ProfileFinding(.enrollmentRightsGrew, "rights cannot grow without a new enrollment"))
        }
        return findings
    }
}
