// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import Crypto
import Foundation
import IdentityPlatform
import JSON
import MDMServer
import OAuth
import Storage
import TestSupport
import Testing

/// One walk through the operations of one organisation: every operation that is not only for the socket, with bodies
/// that are valid. The walk does not know through which interface it goes.
struct AdministrationWalk {
    /// Makes a call through the interface.
    let interface: (AdminOperation, [String: String], [(String, String)], String?) async throws -> InterfaceAnswer
    /// Is called after each call.
    let visited: (AdminOperation, InterfaceAnswer) async throws -> Void

    private static let directoryDevice = "0d0d0d0d-0000-4000-8000-000000000001"
    private static let udid = "0D0D0D0D-0000-4000-8000-000000000002"
    private static let app = "org.contoso.rounds"

    /// Prepares what no operation over the network can make: a device of the directory, an enrolled device, and an app's
    /// package. Also a person who is signed in, and who then mistypes the password.
    static func prepare(_ server: AdministeredServer, in scratch: Scratch) async throws {
        try server.addPerson("admin", roles: "Global Administrator")
        try server.addPerson("worker")
        for _ in 1...2 { _ = try await server.token(ofPerson: "worker") }
        try await server.mistypePassword(ofPerson: "worker")
        let package = [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 9) + [3, 0]
        try Data(package).write(to: URL(filePath: scratch.path("rounds")))
        try server.operate(
            MDMAdmin.addApp.operation,
            body:
                #"{"path":"\#(scratch.path("rounds"))","bundleIdentifier":"\#(app)","version":"1.0","title":"Rounds"}"#
        ).expectSuccess()
        try await server.addDevice(id: directoryDevice, udid: udid)
    }

    /// Calls every operation.
    func run() async throws {
        try await people()
        try await groupsAndRoles()
        try await clients()
        try await organisation()
        try await devices()
        try await management()
        try await logs()
    }

    @discardableResult
    private func call<Body, Reply>(
        _ endpoint: Endpoint<Body, Reply>, _ places: [String: String] = [:], query: [(String, String)] = [],
        _ body: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> InterfaceAnswer {
        let answer = try await interface(endpoint.operation, places, query, body)
        answer.expectSuccess(sourceLocation: sourceLocation)
        try await visited(endpoint.operation, answer)
        return answer
    }

    private func people() async throws {
        let jo = ["user": "jo@contoso.test"]
        try await call(
            IdentityAdmin.addUser, [:],
            #"{"userPrincipalName":"jo@contoso.test","displayName":"Jo","password":"correct horse battery"}"#)
        try await call(IdentityAdmin.getUser, jo)
        try await call(IdentityAdmin.changeUser, jo, #"{"givenName":"Johanna","jobTitle":"Nurse"}"#)
        try await call(IdentityAdmin.changeUser, jo, #"{"accountEnabled":false}"#)
        try await call(IdentityAdmin.changeUser, jo, #"{"accountEnabled":true,"jobTitle":""}"#)
        try await call(IdentityAdmin.setPassword, jo, #"{"password":"another horse battery"}"#)
        try await call(IdentityAdmin.listUsers)
        let worker = "worker@contoso.test"
        try await call(IdentityAdmin.unlockUser, ["user": worker])
        let sessions: [IdentityAdmin.Session] = try await call(
            IdentityAdmin.listSessions, query: [("user", worker)]
        ).decoded()
        try await call(IdentityAdmin.revokeSession, ["session": try #require(sessions.first).id])
        try await call(IdentityAdmin.revokeUserSessions, ["user": worker])
        try await call(IdentityAdmin.getPersonalHoldings, ["user": worker])
        try await call(IdentityAdmin.exportUser, ["user": worker])
        try await call(IdentityAdmin.eraseUser, ["user": worker])
        try await call(IdentityAdmin.removeUser, jo)
    }

    private func groupsAndRoles() async throws {
        let ward = ["group": "Ward 7"]
        try await call(
            IdentityAdmin.addUser, [:],
            #"{"userPrincipalName":"kim@contoso.test","displayName":"Kim","password":"correct horse battery"}"#)
        try await call(IdentityAdmin.addGroup, [:], #"{"displayName":"Ward 7","description":"Second floor"}"#)
        try await call(IdentityAdmin.addGroupMember, ["group": "Ward 7", "user": "kim@contoso.test"])
        try await call(IdentityAdmin.getGroup, ward)
        try await call(IdentityAdmin.listGroups)
        try await call(IdentityAdmin.removeGroupMember, ["group": "Ward 7", "user": "kim@contoso.test"])
        let tablet = ["group": "Ward 7", "device": Self.directoryDevice]
        try await call(IdentityAdmin.addGroupDevice, tablet)
        try await call(IdentityAdmin.listGroupDevices, ward)
        try await call(IdentityAdmin.removeGroupDevice, tablet)
        try await call(IdentityAdmin.removeGroup, ward)
        let role = ["role": "Helpdesk Administrator", "user": "kim@contoso.test"]
        try await call(IdentityAdmin.assignRole, role)
        try await call(IdentityAdmin.listRoles)
        try await call(IdentityAdmin.unassignRole, role)
    }

    private func clients() async throws {
        let client = ["client": "6c5f1a52-0000-4000-8000-0000000000cc"]
        let body =
            #"{"id":"6c5f1a52-0000-4000-8000-0000000000cc","displayName":"Rounds","redirectURIs":["https://app.test/cb"],"#
            + #""isConfidential":true}"#
        try await call(IdentityAdmin.addClient, [:], body)
        try await call(IdentityAdmin.getClient, client)
        let secret = try await call(IdentityAdmin.addClientSecret, client)
        try await call(IdentityAdmin.listClientSecrets, client)
        try await call(IdentityAdmin.removeClientSecret, client.merging(["secret": try secret.text("id")]) { $1 })
        let newKey = try JSONEncoder().encode(
            IdentityAdmin.NewClientKey(name: "first", publicKey: try AdministeredServer.newKey().publicPEM()))
        let key = try await call(IdentityAdmin.addClientKey, client, String(decoding: newKey, as: UTF8.self))
        try await call(IdentityAdmin.listClientKeys, client)
        try await call(IdentityAdmin.removeClientKey, client.merging(["key": try key.text("id")]) { $1 })
        let permission = client.merging(["permission": "User.Read.All"]) { $1 }
        try await call(IdentityAdmin.grantApplicationPermission, permission)
        try await call(IdentityAdmin.listApplicationPermissions, client)
        try await call(IdentityAdmin.revokeApplicationPermission, permission)
        try await call(IdentityAdmin.changeClient, client, #"{"accountEnabled":false}"#)
        try await call(IdentityAdmin.changeClient, client, #"{"accountEnabled":true}"#)
        try await call(IdentityAdmin.listClients)
        try await call(IdentityAdmin.removeClient, client)
        try await call(IdentityAdmin.addCompatibilityClients)
    }

    private func organisation() async throws {
        try await call(IdentityAdmin.getOpenAPI)
        try await call(IdentityAdmin.getTenant)
        try await call(IdentityAdmin.getTenantHoldings)
        try await call(IdentityAdmin.setBranding, [:], ##"{"colour":"#0b5cab"}"##)
        try await call(IdentityAdmin.getBranding)
        try await call(
            IdentityAdmin.setOfflineSignIn, [:],
            #"{"rules":{"credentials":["password"],"wallSeconds":3600,"poweredSeconds":3600,"boots":2,"attempts":5}}"#)
        try await call(IdentityAdmin.getOfflineSignIn)
        try await call(IdentityAdmin.setOfflineSignIn, [:], #"{"rules":null}"#)
        try await call(IdentityAdmin.rotateSigningKeys, [:], #"{"immediately":false}"#)
        try await call(IdentityAdmin.listSigningKeys)
        try await call(IdentityAdmin.getReceiptTrust)
    }

    private func devices() async throws {
        let device = ["device": Self.directoryDevice]
        try await call(IdentityAdmin.listDevices)
        try await call(IdentityAdmin.getDevice, device)
        try await call(IdentityAdmin.changeDevice, device, #"{"accountEnabled":false}"#)
        try await call(IdentityAdmin.changeDevice, device, #"{"accountEnabled":true}"#)
        try await call(IdentityAdmin.removeDevice, device)
    }

    private func management() async throws {
        let device = ["device": Self.udid]
        let made = try await call(MDMAdmin.addEnrollment, [:], #"{"name":"tablet-2"}"#)
        try await call(MDMAdmin.listEnrollments)
        try await call(MDMAdmin.revokeEnrollment, ["enrollment": try made.text("id")])
        try await call(MDMAdmin.listManagedDevices)
        try await call(MDMAdmin.getManagedDevice, device)
        try await call(MDMAdmin.queryInventory, device)
        let added = try await call(MDMAdmin.addProfile, [:], #"{"sharedDevice":{"urls":["https://login.test"]}}"#)
        let profile = device.merging(["profile": try added.text("identifier")]) { $1 }
        try await call(MDMAdmin.listProfiles)
        try await call(MDMAdmin.installProfile, profile)
        try await call(MDMAdmin.uninstallProfile, profile)
        try await call(MDMAdmin.removeProfile, profile)
        let app = device.merging(["app": Self.app]) { $1 }
        try await call(MDMAdmin.listApps)
        try await call(MDMAdmin.installApp, app, #"{"configuration":{"ward":"7"}}"#)
        try await call(MDMAdmin.configureApp, app, #"{"ward":"8"}"#)
        try await call(MDMAdmin.removeAppConfiguration, app)
        try await call(MDMAdmin.listCommands, device)
        try await call(MDMAdmin.unenrollDevice, device)
    }

    private func logs() async throws {
        let period = [("from", "0"), ("to", "9999999999999")]
        try await call(IdentityAdmin.listAuditEntries)
        try await call(IdentityAdmin.exportAuditEntries, query: period)
        try await call(MDMAdmin.listManagementAuditEntries)
        try await call(MDMAdmin.exportManagementAuditEntries, query: period)
    }
}

extension InterfaceAnswer {
    /// A member of the JSON object that must be a text.
    func text(_ name: String) throws -> String {
        let object = try JSONReader.read(body, limits: JSONLimits(bytes: 1 << 22, values: 100_000)).object
        guard case .string(let text) = object?[name] else { throw TestProblem("no \(name) in \(self.text)") }
        return text
    }
}

extension AdministeredServer {
    static func newKey() -> SigningKey { .p256(P256.Signing.PrivateKey()) }

    /// Adds a device to the directory, and an enrolled device to device management.
    func addDevice(id: String, udid: String) async throws {
        let directory = try await SQLiteDatabase(
            path: server.state + "/identity.sqlite", migrations: IdentitySchema.migrations)
        try await directory.write { [tenant] connection in
            try connection.execute(
                """
                INSERT INTO device (tenant, id, objectID, displayName, operatingSystem, operatingSystemVersion,
                    trustType, profileType, accountEnabled, isManaged, certificateHash, certificateExpires,
                    deviceKey, transportKey, registered)
                VALUES (\(tenant), \(id), \(id), 'desk-1', 'Linux', '12', 'AzureAd', 'Shared', 1, 1,
                    \([UInt8(1)]), 1, \([UInt8(1)]), \([UInt8(1)]), 1)
                """)
        }
        // Device management learns of the tenant with the first call.
        try operate(MDMAdmin.listManagedDevices.operation).expectSuccess()
        let management = try await SQLiteDatabase(
            path: server.state + "/mdm.sqlite", migrations: MDMSchema.migrations)
        try await management.write { [tenant] connection in
            try connection.execute(
                """
                INSERT INTO enrollment (tenant, id, name, fingerprint, state, udid, createdAt, expiresAt)
                VALUES (\(tenant), 'e', 'tablet-1', 'f', 'bound', \(udid), 0, \(Int64.max))
                """)
            try connection.execute(
                """
                INSERT INTO device (tenant, udid, enrollment, name, state, changedAt)
                VALUES (\(tenant), \(udid), 'e', 'tablet-1', 'enrolled', 0)
                """)
        }
    }
}
