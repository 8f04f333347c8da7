// SPDX-License-Identifier: Apache-2.0

extension ProfileLinter {
    func findings(in enrolment: EnrolmentPayload, payload: String, of profile: Profile) -> [ProfileFinding] {
        var findings: [ProfileFinding] = []
        func add(_ code: ProfileFinding.Code, _ message: String) {
            findings.append(ProfileFinding(code, payload: payload, message))
        }
        let hasIdentity = profile.payloads.contains {
            if case .identity = $0.content { $0.uuid == enrolment.identityUUID } else { false }
        }
        if !hasIdentity { add(.enrolmentIdentity, "IdentityCertificateUUID names no identity payload of this profile") }
        let topic = enrolment.topic
        if !topic.hasPrefix(EnrolmentPayload.topicPrefix) || topic == EnrolmentPayload.topicPrefix {
            add(.enrolmentTopic, "Topic must begin with \(EnrolmentPayload.topicPrefix)")
        }
        for url in [enrolment.serverURL, enrolment.effectiveCheckInURL] where !url.hasPrefix("https://") {
            add(.enrolmentURL, "\(url) must begin with https://")
        }
        let rights = enrolment.accessRights
        let needs: [(AccessRights, AccessRights)] = [
            (.changeProfiles, .inspectProfiles), (.changeProvisioning, .inspectProvisioning),
        ]
        let isComplete = needs.allSatisfy { right, base in !rights.contains(right) || rights.contains(base) }
        if rights.isEmpty || !AccessRights.all.isSuperset(of: rights) || !isComplete {
            add(
                .enrolmentRights,
                "AccessRights \(rights.rawValue) is empty, unknown, or lacks a right that another needs")
        }
        return findings
    }

    /// What an enrolment profile may not change when it is issued again to a device that has `previous`.
    package static func changes(from previous: EnrolmentPayload, to next: EnrolmentPayload) -> [ProfileFinding] {
        var findings: [ProfileFinding] = []
        let fixed: [(PropertyKey, Bool)] = [
            (.topic, previous.topic == next.topic),
            (.serverURL, previous.serverURL == next.serverURL),
            (.checkInURL, previous.checkInURL == next.checkInURL),
        ]
        for (key, isSame) in fixed where !isSame {
            let message = "\(key.rawValue) cannot change without a new enrolment"
            findings.append(ProfileFinding(.enrolmentImmutable, message))
        }
        if !previous.accessRights.isSuperset(of: next.accessRights) {
            findings.append(ProfileFinding(.enrolmentRightsGrew, "rights cannot grow without a new enrolment"))
        }
        return findings
    }
}
