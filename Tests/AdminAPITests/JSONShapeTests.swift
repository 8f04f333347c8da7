// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import BrokerIPC
import BrokerProtocol
import Foundation
import Redaction
import TestSupport
import Testing

/// The JSON that other programs read: each key has an explicitly chosen name.
@Suite struct JSONShapeTests {
    /// One value of each type, with every optional member set.
    private static let samples: [any Codable & Sendable] = administration + operators + requests + replies

    private static let administration: [any Codable & Sendable] = [
        refused, refused.error, candidate,
        IdentityAdmin.AuditEntry(
            position: 1, time: 1, actor: "operator", action: "a", subject: "s", outcome: "o", repetitions: 1,
            method: "page", detail: "d", correlation: "c", clientAddress: "192.0.2.7", interface: "https"),
        IdentityAdmin.BreakGlassGrant(
            id: "i", user: "u", role: "r", reason: "w", grantedBy: "uid=0", begunAt: 1, expiresAt: 2, endedAt: 2,
            isActive: false),
        IdentityAdmin.NewBreakGlassGrant(user: "u", role: "r", reason: "w", minutes: 1, login: 1),
        personalHoldings, IdentityAdmin.Erasure(pseudonym: "p", auditEntries: 1, removed: personalHoldings),
        ExportEnd(end: 1),
        IdentityAdmin.ApplicationPermission(permission: "p", grantedAt: 1),
        IdentityAdmin.ClientKey(id: "i", name: "n", kind: "RSA", createdAt: 1, expiresAt: 2),
        IdentityAdmin.NewClientKey(name: "n", publicKey: "k"),
        IdentityAdmin.Client(
            id: "i", displayName: "n", redirectURIs: ["u"], postLogoutRedirectURIs: ["u"], resources: ["r"],
            permissions: ["p"], isPublic: true, accountEnabled: true, tokenAlgorithm: "ES256", warnings: ["w"]),
        IdentityAdmin.ClientChange(accountEnabled: true),
        IdentityAdmin.ClientSecret(id: "i", expiresAt: 1, secret: Sensitive("s")),
        IdentityAdmin.Device(
            deviceID: "d", id: "i", displayName: "n", operatingSystem: "Linux", operatingSystemVersion: "12",
            trustType: "AzureAd", profileType: "Shared", accountEnabled: true, isManaged: true, udid: "u",
            registeredAt: 1, aheadAt: 1, groups: ["g"]),
        IdentityAdmin.DeviceChange(accountEnabled: true),
        IdentityAdmin.Group(id: "i", displayName: "n", description: "d", members: ["m"], deviceCount: 1),
        IdentityAdmin.KeyRotation(immediately: true),
        IdentityAdmin.NewClient(
            id: "i", displayName: "n", redirectURIs: ["u"], postLogoutRedirectURIs: ["u"], resources: ["r"],
            permissions: ["p"], isConfidential: true, tokenAlgorithm: "ES256"),
        IdentityAdmin.NewGroup(displayName: "n", mailNickname: "n", description: "d"),
        IdentityAdmin.NewPassword(password: Sensitive("p")),
        IdentityAdmin.NewTenant(displayName: "n", domain: "d"),
        IdentityAdmin.Branding(colour: "#000000", logo: "AA=="),
        IdentityAdmin.NewUser(userPrincipalName: "u", displayName: "n", password: Sensitive("p")),
        IdentityAdmin.Offline(rules: offlineRules), offlineRules,
        IdentityAdmin.ReceiptSubject(user: "u", userPrincipalName: "n", device: "d", session: "s"),
        IdentityAdmin.Role(id: "i", displayName: "n", members: ["m"]),
        IdentityAdmin.Session(id: "i", userPrincipalName: "n", device: "d", deviceName: "n", begunAt: 1),
        IdentityAdmin.SigningKey(id: "i", algorithm: "ES256", createdAt: 1, signsAt: 1, isCurrent: true),
        IdentityAdmin.Tenant(id: "i", displayName: "n", domain: "d", issuer: "s"), holdings.management,
        holdings,
        IdentityAdmin.User(
            id: "i", userPrincipalName: "u", displayName: "n", givenName: "g", surname: "s", mail: "m", jobTitle: "j",
            mobilePhone: "p", accountEnabled: true, roles: ["r"]),
        IdentityAdmin.UserChange(accountEnabled: true),
        MDMAdmin.App(bundleIdentifier: "b", version: "v", title: "t", size: 1, sha256: "s", addedAt: 1),
        MDMAdmin.AuditEntry(
            position: 1, time: 1, actor: "operator", action: "a", subject: "s", detail: "d", correlation: "c",
            clientAddress: "192.0.2.7", interface: "https"),
        command, command.errors[0],
        MDMAdmin.Device(
            udid: "u", name: "n", state: "enrolled", productName: "p", osVersion: "12", serialNumber: "s",
            profiles: [heldProfile], apps: [heldApp], waiting: 1, identityEndsAt: 1), heldProfile, heldApp,
        MDMAdmin.Enrollment(id: "i", name: "n", state: "bound", udid: "u", createdAt: 1, expiresAt: 1),
        MDMAdmin.EnrollmentProfile(id: "i", name: "n", profile: Sensitive("p")),
        MDMAdmin.NewApp(path: "/p", bundleIdentifier: "b", version: "v", title: "t"),
        MDMAdmin.NewEnrollment(name: "n", takesOver: "u"), MDMAdmin.NewProfile.file("PD94"),
        MDMAdmin.NewProfile.sharedDevice(urls: ["https://login.test"]),
        MDMAdmin.Profile(identifier: "i", uuid: "u", displayName: "n", warnings: ["w"], outcome: "added"),
        MDMAdmin.PushedApp(version: "v", configuration: ["k": value]), value,
    ]

    private static let operators: [any Codable & Sendable] = [
        SeatEvent.dock, order, failure, status, diagnosis, refusal, RefusalRecord.Kind.refused, finding,
        CheckResult.Topic.session, CheckResult.Verdict.good, connectionLimit, ConnectionLimitReport.Stage.serving,
        ConnectionLimitReport.Limit.process, registration, RegistrationStatus.State.good, metrics, metrics.handovers,
        DeviceMetrics.SignInOutcome.admitted,
    ]

    private static let requests: [OperatorRequest] = [
        .status, .enroll(profile: "p"), .unenroll, .checkIn, .reload, .join(order), .signOut(fromBrowser: true),
        .recover, .examine, .seat(.dock), .setPIN, .metrics, .unlock(app: "a"),
    ]

    private static let replies: [OperatorReply] = [
        .done, .status(status), .diagnosis(diagnosis), .joined(deviceID: "d", tenantID: "t"),
        .checkedIn(done: 1, failed: 1, later: 1), .failed(failure), .metrics(metrics),
    ]
    private static let personalHoldings = IdentityAdmin.PersonalHoldings(sessions: 1, devices: 1)
    private static let candidate = AdminFailure.Candidate(id: "i", name: "n")
    private static let refused = AdminFailure(
        code: "c", message: "m", remedy: "r", candidates: .init([candidate, candidate], of: 3))
    private static let holdings = IdentityAdmin.TenantHoldings(
        users: 1, groups: 1, clients: 1, sessions: 1, devices: 1,
        management: .init(devices: 1, enrollmentProfiles: 1, profiles: 1, apps: 1))
    private static let offlineRules = IdentityAdmin.OfflineRules(
        credentials: ["pin"], wallSeconds: 1, poweredSeconds: 1, boots: 1, attempts: 1)
    private static let command = MDMAdmin.Command(
        uuid: "u", requestType: "r", subject: "s", state: "error", enqueuedAt: 1, finishedAt: 1,
        errors: [.init(code: 1, domain: "d", message: "m")])
    private static let heldProfile = MDMAdmin.HeldProfile(identifier: "i", uuid: "u")
    private static let heldApp = MDMAdmin.HeldApp(identifier: "i", state: "Managed", hasConfiguration: true)
    private static let value = MDMAdmin.Value.dictionary([
        "all": .array([.boolean(true), .integer(1), .real(1.5), .string("s"), .dictionary([:])])
    ])
    private static let order = JoinOrder(loginURL: "l", registrationURL: "r", tenant: "t", deviceName: "n")
    private static let failure = OperatorFailure(code: "c", message: "m", remedy: "r")
    private static let finding = CheckResult(.session, .good, code: "c", message: "m", remedy: "r")
    private static let refusal = RefusalRecord(
        kind: .refused, time: 1, operation: "o", code: 1, reason: "r", level: "l", app: "a", clientID: "c")
    private static let status = DeviceStatus(
        session: "ready", pending: ["p"], epoch: Epoch(id: .random(), counter: 1), mode: "shared", reason: "r",
        remedy: "r", enrolled: true,
        tenantID: "t", deviceID: "d", apps: ["a"], agentConnected: true, agentPID: 1, agentUser: 1, problems: ["p"],
        lockedApps: ["a"], receiptsDamagedAt: 1, keys: "tpm", connectionLimits: [connectionLimit],
        registration: registration)
    private static let metrics = DeviceMetrics()
    private static let registration = RegistrationStatus(
        deviceID: "d", tenantID: "t", state: .good, learnedAt: 1, clockAhead: 301)
    private static let connectionLimit = ConnectionLimitReport(
        app: "a", user: 1, process: 1, stage: .serving, limit: .process, held: 1, at: 1)
    private static let diagnosis = Diagnosis(
        status: status, movers: ["m"], findings: [finding], refusals: [refusal], unlisted: 1)

    @Test func `no key in messages of the server or the broker is a number that Swift generated`() throws {
        for sample in Self.samples {
            let text = String(decoding: try JSONEncoder().encode(sample), as: UTF8.self)
            #expect(!text.contains(/"_\d+"\s*:/), "\(type(of: sample)): \(text)")
        }
    }

    @Test(arguments: ["Sources/AdminAPI", "Sources/BrokerIPC/Operator"])
    func `each type that other programs read is among the samples`(folder: String) throws {
        let declared = try CodableSources.types(in: folder)
        #expect(declared.count > 4)
        let sampled = Set(Self.samples.map { String(describing: type(of: $0)) })
        #expect(declared.subtracting(sampled).isEmpty)
    }

    /// Types that are not read by other programs: messages between the two processes of one `batond`, over a socket
    /// pair.
    private static let ofOneProgram: Set = [
        "SupervisorMessage", "SessionProcessMessage", "AppIdentity", "AppBinding", "DeviceMode",
    ]

    @Test func `no type of any program would be encoded with generated keys`() throws {
        let found = try CodableSources.unnamedCases(in: "Sources").filter { name in
            !Self.ofOneProgram.contains { name.contains(": \($0).") }
        }
        #expect(found.isEmpty)
        // Checks that the search detects a leak.
        let leak =
            "enum A: Sendable, Codable {\n    /// Said.\n    case b(x: Int)\n    case c(\n        [Int: A], y: Int)\n}"
        #expect(CodableSources.unnamedCases(inText: leak) == ["A.c"])
        let named = "enum A: Codable { case c(Int)\n enum CCodingKeys: String, CodingKey { case _0 = \"number\" } }"
        #expect(CodableSources.unnamedCases(inText: named).isEmpty)
    }

    @Test func `a new profile is either a file or the shared device profile`() throws {
        let both: [(String, MDMAdmin.NewProfile)] = [
            (#"{"file":"PD94"}"#, .file("PD94")),
            (#"{"sharedDevice":{"urls":["u"]}}"#, .sharedDevice(urls: ["u"])),
        ]
        for (text, profile) in both {
            #expect(String(decoding: try JSONEncoder().encode(profile), as: UTF8.self) == text)
            #expect(try JSONDecoder().decode(MDMAdmin.NewProfile.self, from: Data(text.utf8)) == profile)
        }
        for text in [
            #"{"file":{"_0":"PD94"}}"#, #"{"file":"PD94","sharedDevice":{"urls":[]}}"#, "{}", #"{"sharedDevice":[]}"#,
            #"{"file":null}"#,
        ] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(MDMAdmin.NewProfile.self, from: Data(text.utf8))
            }
        }
    }
}
