// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import AdminServer
import Foundation
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import Storage
import TestSupport
import Testing

@Suite struct DeviceAdminTests {
    @Test func `devices are listed, disabled and removed over the administration socket`() async throws {
        let fixture = try await TestPlatform()
        let router = Router(context: AdminContext.self)
        router.add(middleware: FixedCaller(.localOperator(userID: nil)))
        AdminRoutes(fixture.platform).addRoutes(to: router)
        let admin = TestClient(router.buildResponder())
        let id = try await TestDevice.joined(fixture).id
        let places = ["tenant": "-", "device": id]
        func list() async throws -> [IdentityAdmin.Device] {
            let answer = try await admin.get(IdentityAdmin.listDevices(places).path)
            return try JSONDecoder().decode([IdentityAdmin.Device].self, from: Data(answer.body))
        }
        let device = try #require(try await list().first)
        #expect(device.deviceID == id)
        #expect(device.profileType == "Shared")
        #expect(device.trustType == "AzureAd")
        #expect(device.registeredAt == fixture.clock.now.rawValue)
        let path = IdentityAdmin.removeDevice(places).path
        #expect(try await admin.send(.patch, path, body: #"{"accountEnabled":false}"#).status == .noContent)
        #expect(try await list().map(\.accountEnabled) == [false])
        #expect(try await admin.send(.patch, path, body: "{}").status == .badRequest)
        #expect(try await admin.send(.delete, path).status == .noContent)
        #expect(try await admin.send(.delete, path).text.contains("identity.device.missing"))
        #expect(try await list().isEmpty)
        let audit = try await admin.get(IdentityAdmin.listAuditEntries(places).path)
        let actions = try JSONDecoder().decode([IdentityAdmin.AuditEntry].self, from: Data(audit.body)).map(\.action)
        #expect(actions.filter { $0.hasPrefix("device.") } == ["device.join", "device.disable", "device.remove"])
    }
}
