// SPDX-License-Identifier: Apache-2.0
package import AdminAPI
internal import AdminServer
package import HTTPTypes
internal import MDMProtocol

/// Why an administrative call was refused.
package struct MDMAdminRefusal: OperationRefusing, Sendable {
    /// Stable codes of the refusals.
    package enum Code: String, Sendable {
        case malformed = "mdm.malformed"
        case malformedTenant = "mdm.tenant.malformed"
        case noTenant = "mdm.tenant.missing"
        case noTenants = "mdm.tenant.none"
        case ambiguousTenant = "mdm.tenant.ambiguous"
        case noDevice = "mdm.device.missing"
        case ambiguousDevice = "mdm.device.ambiguous"
        case notManaged = "mdm.device.notManaged"
        case notEnrolled = "mdm.device.notEnrolled"
        case noEnrollment = "mdm.enrollment.missing"
        case queueFull = "mdm.queue.full"
        case noProfile = "mdm.profile.missing"
        case ambiguousProfile = "mdm.profile.ambiguous"
        case otherProfile = "mdm.profile.taken"
        case badProfile = "mdm.profile.refused"
        case badSignature = "mdm.profile.signature"
        case badConfiguration = "mdm.app.configuration"
        case noApp = "mdm.app.missing"
        case ambiguousApp = "mdm.app.ambiguous"
        case badApp = "mdm.app.name"
        case unreadablePackage = "mdm.package.unreadable"
        case noPackage = "mdm.package.kind"
        case packageTooLarge = "mdm.package.tooLarge"
        case unwritableStore = "mdm.package.store"
        case badName = "mdm.name"
        case fault = "mdm.fault"
    }

    package let code: Code
    /// The linter's findings, if a profile was refused.
    let findings: [ProfileFinding]
    /// A message that names the item concerned; nil for the code's default message.
    private let message: String?
    private let remedy: String?
    /// Further sentences after the message, if the code alone does not describe the problem.
    let detail: String?
    /// The objects that an ambiguous name can mean.
    private let candidates: AdminFailure.Candidates?

    init(
        _ code: Code, _ message: String? = nil, remedy: String? = nil, findings: [ProfileFinding] = [],
        detail: String? = nil, candidates: AdminFailure.Candidates? = nil
    ) {
        self.code = code
        self.findings = findings
        self.candidates = candidates
        (self.message, self.remedy, self.detail) = (message, remedy, detail)
    }

    package var status: HTTPResponse.Status { HTTPResponse.Status(integerLiteral: RefusalStatus.of(code.rawValue)) }

    package var failure: AdminFailure {
        let (message, remedy) = (message ?? words.message, remedy ?? words.remedy)
        let reasons = ([detail].compactMap(\.self) + findings.map(\.description)).joined(separator: " ")
        return AdminFailure(
            code: code.rawValue, message: reasons.isEmpty ? message : "\(message) \(reasons)", remedy: remedy,
            candidates: candidates)
    }

    private var words: AdminFailure.Words {
        switch code {
        case .malformed: AdminFailure.malformedBody
        case .malformedTenant: ("The tenant is not a GUID.", "Give the tenant's id.")
        case .noTenant: ("There is no such tenant.", "List the tenants: baton admin tenant list.")
        case .noTenants: AdminFailure.noTenants
        case .ambiguousTenant: AdminFailure.ambiguousTenant(.init([], of: 0))
        case .noDevice:
            (
                "There is no such device in the tenant.",
                "List the devices: baton admin device managed; those of the directory: baton admin device list."
            )
        case .ambiguousDevice:
            ("Several devices have that name.", "Name the device by its UDID: baton admin device managed.")
        case .notManaged:
            (
                "The device is in the directory, but not under management.",
                "Enroll the device (baton admin device add). To list the managed devices, run: baton admin device "
                    + "managed."
            )
        case .notEnrolled:
            (
                "The device is not enrolled.",
                "Make an enrollment profile (baton admin device add) and install it on the device."
            )
        case .noEnrollment:
            (
                "There is no unused enrollment profile with that id.",
                "List them: baton admin enrollment list. To unenroll a device run: baton admin device unenroll."
            )
        case .queueFull:
            (
                "Too many commands are waiting for the device.",
                "See its last results (baton admin device commands), or unenroll it: baton admin device unenroll."
            )
        case .noProfile: ("There is no such profile in the tenant.", "List the profiles: baton admin profile list.")
        case .ambiguousProfile:
            ("Several profiles have that name.", "Name the profile by its identifier: baton admin profile list.")
        case .otherProfile:
            (
                "There is another profile with that identifier.",
                "Add it with --replace; devices keep the current profile until the new one is pushed."
            )
        case .badProfile:
            ("Devices would refuse the profile.", "Correct what the message names, then add the profile again.")
        case .badSignature:
            (
                "The profile's signature cannot be checked.",
                "Sign it again, or remove the signature: openssl smime -verify -noverify -inform der -in FILE -out "
                    + "UNSIGNED"
            )
        case .badConfiguration: ("Devices would misread the configuration.", "Correct what the message names.")
        case .noApp: ("There is no such app or version in the tenant.", "List the apps: baton admin app list.")
        case .ambiguousApp:
            ("Several apps have that title.", "Name the app by its bundle identifier: baton admin app list.")
        case .badApp:
            (
                "A bundle identifier, version or title is malformed.",
                "Use letters, digits, dots, hyphens and underscores."
            )
        case .unreadablePackage:
            (
                "The package file cannot be read or is empty.",
                "Give a path that the server's user can read. Under systemd that is no path in /home, /root or /tmp."
            )
        case .noPackage:
            (
                "The file is not a program for Linux (ELF), the only kind that devices install.",
                "Give the built program itself, not a script or an archive."
            )
        case .packageTooLarge: ("The package is larger than devices accept.", "Give one of at most 512 MiB.")
        case .unwritableStore:
            ("The package cannot be stored.", "Check that the server's folder has room and is writable.")
        case .badName:
            (
                "The name is too long, has nothing visible, or has a control or invisible character.",
                "Use 1 to 128 visible characters, without line breaks."
            )
        case .fault: AdminFailure.fault
        }
    }
}
