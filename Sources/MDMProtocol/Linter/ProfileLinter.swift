// SPDX-License-Identifier: Apache-2.0

/// Checks profiles against rules that Apple's schema and Microsoft's pages state only in prose.
///
/// A profile is checked before it is accepted for pushing, and again on the device before it is installed.
package struct ProfileLinter: Sendable {
    /// How the profile reaches the device.
    package enum Delivery: Sendable {
        /// Installed by hand to enroll the device.
        case enrollment
        /// Installed by the management server.
        case push
    }

    /// Which devices the profile is for.
    package enum Audience: Sendable {
        /// Baton's own devices, which refuse a profile that contains anything they do not support.
        case batonDevices
        /// Baton's and Apple's devices. An iPad supports payloads that Baton's devices do not.
        case anyDevice
    }

    package let delivery: Delivery
    package let audience: Audience
    /// URLs of the other single sign-on profiles on the device.
    package let takenURLs: Set<String>
    /// The types of the payloads in other profiles on the device.
    package let taken: Set<Payload.Kind>

    package init(
        delivery: Delivery, audience: Audience = .batonDevices, takenURLs: Set<String> = [],
        taken: Set<Payload.Kind> = []
    ) {
        self.delivery = delivery
        self.audience = audience
        self.takenURLs = Set(takenURLs.map(SSOURL.canonical))
        self.taken = taken
    }

    /// Creates a linter for a profile on a device that also has the profiles `others`.
    package init(delivery: Delivery, audience: Audience = .batonDevices, beside others: [Profile]) {
        let payloads = others.flatMap(\.payloads)
        let urls = payloads.flatMap { payload -> [String] in
            if case .extensibleSSO(let sso) = payload.content { sso.urls } else { [] }
        }
        self.init(
            delivery: delivery, audience: audience, takenURLs: Set(urls),
            taken: Set(payloads.compactMap { Payload.Kind(rawValue: $0.typeName) }))
    }

    /// The rules for a profile, in the order of its findings.
    package static let rules: [any ProfileRule<LintedProfile>.Type] = [
        UniquePayloadIdentifiers.self, UniquePayloadUUIDs.self,
        EnrollmentPresent.self, EnrollmentNotPushed.self, OneEnrollment.self,
        EnrollmentIdentity.self, EnrollmentTopic.self, EnrollmentURLs.self, EnrollmentRights.self,
        SSOFromMDM.self, ExtensionIdentifierForm.self, ExtensionIdentifierSpelling.self,
        TeamIdentifierIgnored.self,
        ScreenLockedBehavior.self, SSOType.self, RedirectHasURLs.self, CredentialHasHosts.self,
        SSOURLScheme.self, SSOURLIsPrefix.self, SSOURLForm.self, UniqueSSOURLs.self,
        SharedModeIsBoolean.self, SharedModeSpelling.self, PluginKeySpelling.self, PluginFlagIsInteger.self,
        PluginListIsString.self,
        BrowserFromMDM.self, OneBrowser.self, KnownBrowserKeys.self, BrowserAddresses.self, BrowserPatterns.self,
        BrowserPatternConflicts.self, BrowserListLengths.self, BrowserAuthorities.self,
        HomeScreenFromMDM.self, OneHomeScreen.self, KnownHomeScreenKeys.self, HomeScreenTexts.self,
        HomeScreenImages.self, HomeScreenColour.self, HomeScreenDomain.self, HomeScreenTiles.self,
        HomeScreenSize.self,
        KnownPayloadTypes.self, ForeignPayloadTypes.self, KnownPayloadKeys.self,
    ]

    /// The rules for a re-issued enrollment.
    package static let updateRules: [any ProfileRule<EnrollmentUpdate>.Type] = [
        FixedEnrollmentKeys.self, NoNewRights.self,
    ]

    /// The rules for a file that cannot be read as a profile.
    package static let readingRules: [any ProfileRule<any Error>.Type] = [
        ReadablePropertyList.self, WellFormedProfile.self,
    ]

    /// Returns all findings, rule by rule.
    package func findings(inXML xml: [UInt8]) -> [ProfileFinding] {
        do {
            let value = try PropertyList(xml: xml)
            return findings(in: try Profile(propertyList: value), readFrom: value)
        } catch {
            return Self.readingRules.flatMap { $0.findings(in: error) }
        }
    }

    /// Returns all findings except those about unknown keys.
    package func findings(in profile: Profile) -> [ProfileFinding] { findings(in: profile, readFrom: nil) }

    private func findings(in profile: Profile, readFrom propertyList: PropertyList?) -> [ProfileFinding] {
        let subject = LintedProfile(
            profile: profile, delivery: delivery, audience: audience, takenURLs: takenURLs,
            taken: taken, propertyList: propertyList)
        return Self.rules.flatMap { $0.findings(in: subject) }
    }

    /// Returns a finding for each forbidden change in the enrollment payload `next`, which is re-issued to a device
    /// that has `previous`.
    package static func changes(from previous: EnrollmentPayload, to next: EnrollmentPayload) -> [ProfileFinding] {
        let update = EnrollmentUpdate(previous: previous, next: next)
        return updateRules.flatMap { $0.findings(in: update) }
    }
}
