// SPDX-License-Identifier: Apache-2.0

/// Judges profiles by the rules that Apple's schema states only in prose.
///
/// It runs before a profile is accepted for pushing, and again on the device before it is installed.
package struct ProfileLinter: Sendable {
    /// How the profile reaches the device.
    package enum Delivery: Sendable {
        /// Installed by hand to enroll the device.
        case enrollment
        /// Installed by the management server.
        case push
    }

    package let delivery: Delivery
    /// URLs of the other single sign-on profiles that the device has.
    package let takenURLs: Set<String>

    package init(delivery: Delivery, takenURLs: Set<String> = []) {
        self.delivery = delivery
        self.takenURLs = Set(takenURLs.map(SSOURL.canonical))
    }

    /// All findings, in the order of the profile.
    package func findings(inXML xml: [UInt8]) -> [ProfileFinding] {
        do {
            let value = try PropertyList(xml: xml)
            return findings(in: try Profile(propertyList: value)) + unknownKeys(in: value)
        } catch let error as PropertyListError {
            return [ProfileFinding(.unreadable, "the profile is no property list that Baton reads: \(error)")]
        } catch {
            return [ProfileFinding(.malformed, "\(error)")]
        }
    }

    /// All findings but those about unknown keys.
    package func findings(in profile: Profile) -> [ProfileFinding] {
        duplicates(in: profile) + enrollmentCount(in: profile)
            + profile.payloads.flatMap { findings(in: $0, of: profile) }
    }

    private func findings(in payload: Payload, of profile: Profile) -> [ProfileFinding] {
        switch payload.content {
        case .enrollment(let enrollment): findings(in: enrollment, payload: payload.identifier, of: profile)
        case .extensibleSSO(let sso): findings(in: sso, payload: payload.identifier, of: profile)
        case .identity, .rootCertificate: []
        case .unknown(let type):
            [ProfileFinding(.unknownPayloadType, payload: payload.identifier, "devices do not know the type \(type)")]
        }
    }

    private func duplicates(in profile: Profile) -> [ProfileFinding] {
        var findings: [ProfileFinding] = []
        var identifiers: Set<String> = []
        var uuids: Set<String> = [profile.uuid]
        for payload in profile.payloads {
            if !identifiers.insert(payload.identifier).inserted {
                let message = "another payload of the profile has the same PayloadIdentifier"
                findings.append(ProfileFinding(.duplicatePayloadIdentifier, payload: payload.identifier, message))
            }
            if !uuids.insert(payload.uuid).inserted {
                let message = "the profile or another payload has the same PayloadUUID"
                findings.append(ProfileFinding(.duplicatePayloadUUID, payload: payload.identifier, message))
            }
        }
        return findings
    }

    private func enrollmentCount(in profile: Profile) -> [ProfileFinding] {
        let count = profile.payloads.count { if case .enrollment = $0.content { true } else { false } }
        switch (delivery, count) {
        case (.enrollment, 0):
            return [ProfileFinding(.enrollmentMissing, "an enrollment profile needs a com.apple.mdm payload")]
        case (.push, 1...):
            return [ProfileFinding(.enrollmentPushed, "the enrollment itself is not changed by a pushed profile")]
        case (_, 2...): return [ProfileFinding(.enrollmentTwice, "a device has one management server")]
        default: return []
        }
    }

    private func unknownKeys(in profile: PropertyList) -> [ProfileFinding] {
        guard case .dictionary(let members) = profile,
            case .array(let payloads) = members[PropertyKey.payloadContent.rawValue]
        else { return [] }
        return payloads.flatMap { payload -> [ProfileFinding] in
            guard case .dictionary(let members) = payload,
                case .string(let type) = members[PropertyKey.payloadType.rawValue],
                let kind = Payload.Kind(rawValue: type)
            else { return [] }
            var identifier: String?
            if case .string(let text) = members[PropertyKey.payloadIdentifier.rawValue] { identifier = text }
            return members.keys.filter { !kind.knownKeys.contains($0) }.sorted().map { key in
                ProfileFinding(.unknownKey, severity: .warning, payload: identifier, "\(key) is no key of \(type)")
            }
        }
    }
}

extension Payload.Kind {
    /// Every key that Apple's schema lists for the type on iOS and macOS, as far as Baton knows the type.
    var knownKeys: Set<String> {
        let common: [PropertyKey] = [
            .payloadDescription, .payloadDisplayName, .payloadIdentifier, .payloadOrganization, .payloadType,
            .payloadUUID, .payloadVersion,
        ]
        let own: [PropertyKey] =
            switch self {
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
                    .screenLockedBehavior,
                    .teamIdentifier, .type, .urls,
                ]
            }
        return Set((common + own).map(\.rawValue))
    }
}
