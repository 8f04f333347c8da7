// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import MDMProtocol

extension MDMRecord {
    /// Installs a profile completely or not at all.
    mutating func install(profile body: [UInt8]) -> CommandOutcome {
        let profile: Profile
        do { profile = try Profile(xml: body) } catch { return .failed(.profileRefused, "\(error)") }
        guard profile.identifier != enrolledProfile?.identifier else {
            return .failed(.profileRefused, "a pushed profile cannot change the enrollment")
        }
        var findings = ProfileLinter(delivery: .push, beside: profiles(except: profile.identifier))
            .findings(inXML: body).filter { $0.severity == .error }.map(\.description)
        findings += profile.payloads.compactMap { payload in
            switch payload.content {
            case .browser, .extensibleSSO, .enrollment, .homeScreen, .unknown: nil
            case .identity, .rootCertificate:
                "this device does not install a payload of type \(payload.typeName) by command"
            }
        }
        guard findings.isEmpty else {
            return CommandOutcome(status: .error, errors: findings.map(CommandProblem.profileRefused.item))
        }
        profiles[profile.identifier] = Data(body)
        return .done()
    }

    /// Removes a profile. The removal of the enrollment takes effect once the command's result has been delivered.
    mutating func remove(profile identifier: String) -> CommandOutcome {
        if identifier == enrolledProfile?.identifier {
            enrollment?.stage = .leaving
            return .done()
        }
        guard profiles.removeValue(forKey: identifier) != nil else {
            return .failed(.profileMissing, "no profile \(identifier) is installed")
        }
        return .done()
    }

    /// Returns the installed profiles. The enrollment does not count as managed, since the server did not install it.
    func list(managedOnly: Bool) throws -> [InstalledProfile] {
        var list = try profiles.values.map { InstalledProfile(try Profile(xml: Array($0)), isManaged: true) }
        if !managedOnly, let enrolledProfile { list.append(InstalledProfile(enrolledProfile, isManaged: false)) }
        return list.sorted { $0.identifier < $1.identifier }
    }

    /// Whether these bytes are a version of the enrollment's own profile, with any content.
    func isEnrollment(_ body: [UInt8]) -> Bool {
        guard let profile = try? Profile(xml: body), let enrolledProfile else { return false }
        return profile.identifier == enrolledProfile.identifier
    }

    private var enrolledProfile: Profile? { enrollment.flatMap { try? Profile(xml: Array($0.credentials.profile)) } }

    private func profiles(except identifier: String) -> [Profile] {
        profiles.filter { $0.key != identifier }.values.compactMap { try? Profile(xml: Array($0)) }
    }
}

extension InstalledProfile {
    fileprivate init(_ profile: Profile, isManaged: Bool) {
        self.init(
            identifier: profile.identifier, uuid: profile.uuid, isManaged: isManaged,
            payloads: profile.payloads.map {
                PayloadName(type: $0.typeName, identifier: $0.identifier, uuid: $0.uuid)
            })
    }
}
