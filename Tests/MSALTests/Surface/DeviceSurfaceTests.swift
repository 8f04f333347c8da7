// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import MSAL
import Testing

/// The device's information, registration and tokens, as apps read them.
@Suite(.timeLimit(.minutes(10))) struct DeviceSurfaceTests {
    private func broker(_ device: DeviceInfo) throws -> ScriptedBroker {
        try ScriptedBroker { end in
            try end.greet()
            while true { try end.answer(try end.request(), device: device) }
        }
    }

    @Test func `DEV-9 device information that an app creates describes a personal device without a broker`() {
        let device = MSALDeviceInformation()
        #expect(device.deviceMode == .default && device.description == "Device mode default")
        #expect(!device.hasAADSSOExtension && device.configuredPreferredAuthMethod == .none)
        #expect(device.extraDeviceInformation.isEmpty)
    }

    @Test func `DEV-7 a broker that answered is reported, and no broker on a personal device without one`()
        async throws
    {
        let answered = try await broker(TestValues.shared).serving { try await $0.deviceInformation(with: nil) }
        #expect(answered.hasAADSSOExtension)
        let location = BrokerLocation(socket: "/nonexistent/broker.sock", marker: "/nonexistent/managed")
        let connection = BrokerConnection(location: location, deadlines: .generous)
        defer { connection.close() }
        let configuration = MSALPublicClientApplicationConfig(
            clientId: "client-1", redirectUri: "msauth.org.example.worker://auth", authority: nil)
        let application = try MSALPublicClientApplication(configuration: configuration, broker: connection)
        let device = try await application.deviceInformation(with: nil)
        #expect(device.deviceMode == .default && !device.hasAADSSOExtension)
    }

    @Test func `DEV-11 the registration has Microsoft's keys`() async throws {
        let data = try await broker(TestValues.shared).serving {
            try await $0.wpjMetaDataDevice(with: nil, forTenantId: nil)
        }
        let texts = try #require(data.extraDeviceInformation as? [String: String])
        #expect(texts == ["aadDeviceIdentifier": "d", "aadTenantIdentifier": TestValues.tenant])
    }

    @Test func `DEV-11 a registration of another tenant does not count, and the case of the tenant is ignored`()
        async throws
    {
        let broker = try broker(TestValues.shared)
        let application = try broker.application()
        let other = try await application.wpjMetaDataDevice(with: nil, forTenantId: "elsewhere")
        #expect(other.extraDeviceInformation.isEmpty)
        let same = try await application.wpjMetaDataDevice(with: nil, forTenantId: TestValues.tenant.uppercased())
        #expect(same.extraDeviceInformation["aadDeviceIdentifier"] as? String == "d")
    }

    @Test func `DEV-11 a device that is not registered has no entries`() async throws {
        let device = DeviceInfo(mode: .personal, reason: "unmanaged", brokerVersion: "1", registration: nil)
        let data = try await broker(device).serving {
            try await $0.wpjMetaDataDevice(with: nil, forTenantId: nil)
        }
        #expect(data.extraDeviceInformation.isEmpty)
    }

    @Test func `DEV-11 an unknown registration is an error`() async throws {
        let broker = try ScriptedBroker(deadlines: .within(.milliseconds(50)))
        let application = try broker.application()
        let error = try await seen { try await application.wpjMetaDataDevice(with: nil, forTenantId: nil) }
        #expect(error.asInternal == .internalBrokerNotAvailable)
    }

    @Test(arguments: ["", " "]) func `DTK-1 a device token is for a resource`(resource: String) async throws {
        let application = try ScriptedBroker().application()
        let error = try await seen {
            try await application.deviceTokenForSharedDevice(withResource: resource, scopes: nil)
        }
        #expect(error.asInternal == .internalErrorInvalidParameter)
    }

    @Test func `DTK-1 a device that is not shared gets no token`() async throws {
        let broker = try broker(TestValues.device(.personal))
        let application = try broker.application()
        let error = try await seen {
            try await application.deviceTokenForSharedDevice(withResource: "https://graph.baton.test", scopes: [])
        }
        #expect(error.asInternal == .internalErrorInvalidParameter)
        #expect(error.text.contains("not shared"))
    }

    @Test func `DTK-1 a shared device gets a device token from the broker`() async throws {
        let broker = try ScriptedBroker { end in
            try end.greet()
            try end.answer(try end.request())
            let request = try end.request()
            let wanted = try DeviceTokenRequest(request.parameters)
            #expect(request.operation == .deviceToken)
            #expect(wanted.client.clientID == "client-1" && wanted.scopes == ["a", "b"])
            #expect(wanted.redirectURI == "msauth.org.example.worker://auth")
            let token = DeviceTokenResponse(
                authority: "https://login.baton.test/\(TestValues.tenant)", accessToken: "t", scopes: ["a"],
                expiresOn: 1000)
            try end.answer(request, token.entries)
            end.waitForEnd()
        }
        let token = try await broker.application().deviceTokenForSharedDevice(
            withResource: "https://graph.baton.test", scopes: ["a", "b"])
        #expect(token.accessToken == "t" && token.scopes == ["a"])
        #expect(token.expiresOn == Date(timeIntervalSince1970: 1000))
        #expect(token.authority?.url.absoluteString == "https://login.baton.test/\(TestValues.tenant)")
    }

    @Test func `DTK-1 a refusal by the broker is an error`() async throws {
        let broker = try ScriptedBroker { end in
            try end.greet()
            try end.answer(try end.request())
            try end.reply(try end.request(), .failure(BrokerError(.invalidScope, "AADSTS500011: no such resource")))
            end.waitForEnd()
        }
        let application = try broker.application()
        let error = try await seen {
            try await application.deviceTokenForSharedDevice(withResource: "https://nowhere.test", scopes: nil)
        }
        #expect(error.asInternal != nil && error.text.contains("AADSTS500011"))
    }

    @Test func `an app's own tests can create a device token, and a dump of it contains no secret`() {
        let token = MSALDeviceTokenResult(
            accessToken: "s3cret", deviceInformation: "x.y.z", expiresOn: nil, scopes: ["a"], authority: nil)
        #expect(token.accessToken == "s3cret" && token.deviceInformation == "x.y.z" && token.scopes == ["a"])
        #expect(token.expiresOn == nil && token.authority == nil)
        var text = ""
        dump(token, to: &text)
        #expect(!text.contains("s3cret"))
    }
}
