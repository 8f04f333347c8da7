// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import MSAL
import Testing
import UnixSocket

/// The DEV rules of docs/reference/msal-rules.md. Microsoft's library reports a failure as a personal device; this
/// library reports an error.
@Suite(.timeLimit(.minutes(10))) struct DeviceInformationTests {
    @Test(arguments: [(DeviceInfo.Mode.shared, MSALDeviceMode.shared), (.personal, .default)])
    func `DEV-3 DEV-9 the broker's mode is the device's mode`(mode: DeviceInfo.Mode, expected: MSALDeviceMode)
        async throws
    {
        let broker = try ScriptedBroker { end in
            try end.greet()
            try end.answer(try end.request(), device: TestValues.device(mode))
            end.waitForEnd()
        }
        let information = try await broker.application().deviceInformation(with: nil)
        #expect(information.deviceMode == expected)
        #expect(information.description == (mode == .shared ? "Device mode shared" : "Device mode default"))
    }

    @Test func `DEV-5 DEV-6 the registration and the reason for the mode are in the additional texts`() async throws {
        let broker = try ScriptedBroker { end in
            try end.greet()
            try end.answer(try end.request())
            end.waitForEnd()
        }
        let extra = try await broker.application().deviceInformation(with: nil).extraDeviceInformation
        #expect(extra["primary_registration_metadata_tenant_id"] as? String == TestValues.tenant)
        #expect(extra["primary_registration_metadata_device_id"] as? String == "d")
        #expect(extra["isSSOExtensionInFullMode"] as? String == "Yes")
        #expect(extra["baton_device_mode_reason"] as? String == "configured")
    }

    @Test func `DEV-6 the broker's other facts about the device are included, as strings`() async throws {
        let broker = try ScriptedBroker.answering { _ in
            FlatMap([
                Key.extraDeviceInfo:
                    #"{"isCallerAppManaged":"1","mdm_id":"m","odd":[1],"level":30,"share":0.5,"on":true,"broker_version":"lie"}"#
            ])
        }
        let extra = try await broker.application().deviceInformation(with: nil).extraDeviceInformation
        #expect(extra["isCallerAppManaged"] as? String == "1" && extra["mdm_id"] as? String == "m")
        #expect(
            extra["level"] as? String == "30" && extra["share"] as? String == "0.5" && extra["on"] as? String == "1")
        #expect(extra["odd"] == nil && extra["broker_version"] as? String == "1")
        #expect(extra.values.allSatisfy { $0 is String })
    }

    @Test(arguments: ["", "x", "[]", "{"])
    func `DEV-6 a malformed fact is left out, and the rest is included`(text: String) async throws {
        let broker = try ScriptedBroker.answering { _ in FlatMap([Key.extraDeviceInfo: text]) }
        let information = try await broker.application().deviceInformation(with: nil)
        #expect(information.deviceMode == .shared)
    }

    @Test(arguments: [
        ("preferredAuthQRPIN", MSALPreferredAuthMethod.QRPIN), ("preferredAuthNotConfigured", .none), ("?", .none),
    ])
    func `DEV-7 DEV-8 the broker sets the preferred way to sign in, and counts as present`(
        text: String, expected: MSALPreferredAuthMethod
    ) async throws {
        let broker = try ScriptedBroker.answering { _ in FlatMap([Key.preferredAuthentication: text]) }
        let information = try await broker.application().deviceInformation(with: nil)
        #expect(information.configuredPreferredAuthMethod == expected)
        #expect(information.hasAADSSOExtension)
    }

    @Test func `DEV-7 a personal device without a broker reports no broker`() async throws {
        let information = try await application(markerExists: false).deviceInformation(with: nil)
        #expect(!information.hasAADSSOExtension && information.configuredPreferredAuthMethod == .none)
    }

    @Test func `DEV-10 simultaneous calls are all answered`() async throws {
        let broker = try ScriptedBroker.answering()
        let application = try broker.application()
        try await withThrowingTaskGroup(of: MSALDeviceMode.self) { group in
            for _ in 0..<20 { group.addTask { try await application.deviceInformation(with: nil).deviceMode } }
            for try await mode in group { #expect(mode == .shared) }
        }
    }

    @Test(arguments: [(nil, true), (TestValues.tenant.uppercased(), true), ("other", false)] as [(String?, Bool)])
    func `DEV-11 the registration is that of the tenant, and without one the object has no entries`(
        tenant: String?, isFound: Bool
    ) async throws {
        let broker = try ScriptedBroker.answering()
        let application = try broker.application()
        let extra = try await application.wpjMetaDataDevice(with: nil, forTenantId: tenant).extraDeviceInformation
        #expect((extra["aadDeviceIdentifier"] as? String == "d") == isFound)
        #expect((extra["aadTenantIdentifier"] as? String == TestValues.tenant) == isFound)
        #expect(extra["userPrincipalName"] == nil)
        #expect(extra.isEmpty != isFound)
    }

    @Test func `DEV-11 if the broker cannot be asked the result is an error, not an empty registration`() async throws {
        let application = try application(markerExists: true)
        #expect(
            try await seen { try await application.wpjMetaDataDevice(with: nil, forTenantId: nil) }.asInternal
                == .internalBrokerNotAvailable)
    }

    @Test(arguments: [nil, "", "Shared", "kiosk"])
    func `an answer without a known mode is an error, not a mode`(mode: String?) async throws {
        let broker = try ScriptedBroker { end in
            try end.greet()
            let request = try end.request()
            var map = FlatMap.response(to: request.operation, type: .generic, device: TestValues.shared)
            map[.deviceMode] = mode
            try end.reply(request, .success(map))
            end.waitForEnd()
        }
        let application = try broker.application()
        #expect(
            try await seen { try await application.deviceInformation(with: nil) }.asInternal
                == .internalErrorBrokerUnknown)
    }

    @Test func `an answer without the success flag is an error`() async throws {
        let broker = try ScriptedBroker { end in
            try end.greet()
            let request = try end.request()
            var map = FlatMap.response(to: request.operation, type: .generic, device: TestValues.device(.personal))
            map.set(.success, flag: false)
            try end.reply(request, .success(map))
            end.waitForEnd()
        }
        let application = try broker.application()
        #expect(
            try await seen { try await application.deviceInformation(with: nil) }.asInternal
                == .internalErrorBrokerUnknown)
    }

    @Test func `DEV-4 an error comes without an object`() async throws {
        let broker = try ScriptedBroker { end in
            try end.greet()
            try end.reply(try end.request(), .failure(BrokerError(.internal, "Broken. Mend it.")))
            end.waitForEnd()
        }
        let application = try broker.application()
        let (hasObject, error) = await withCheckedContinuation { continuation in
            application.getDeviceInformation(with: nil) {
                continuation.resume(returning: ($0 != nil, $1.map(Seen.init)))
            }
        }
        #expect(!hasObject)
        #expect(error?.asInternal == .internalErrorUnexpected)
        #expect(error?.text == "Broken. Mend it.")
    }

    @Test func `DEV-2 a device without a socket and without a marker is personal`() async throws {
        let application = try application(markerExists: false)
        #expect(try await application.deviceInformation(with: nil).deviceMode == .default)
    }

    @Test func `a managed device without a socket is an error with a remedy, never personal`() async throws {
        let application = try application(markerExists: true)
        let error = try await seen { try await application.deviceInformation(with: nil) }
        #expect(error.asInternal == .internalBrokerNotAvailable)
        #expect(error.text.contains("Check that batond runs"))
    }

    @Test func `a socket without a listener is an error even if no marker exists`() async throws {
        let folder = try scratchFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "broker.sock").path
        // The listener closes without removing its file, like a killed broker.
        let listener = try Listener(path: path, mode: 0o600)
        listener.close()
        let application = try application(folder: folder, markerExists: false)
        #expect(
            try await seen { try await application.deviceInformation(with: nil) }.asInternal
                == .internalBrokerNotAvailable)
    }

    @Test func `a broker that has stopped is an error, not a personal device, whatever the marker says`()
        async throws
    {
        var deadlines = BrokerDeadlines.generous
        deadlines.connect = .milliseconds(100)
        let broker = try ScriptedBroker(deadlines: deadlines, marker: "/nowhere/managed") { end in
            try end.greet()
            try end.answer(try end.request())
        }
        let application = try broker.application()
        _ = try await application.deviceInformation(with: nil)
        // The connection ended and the socket is gone.
        #expect(
            try await seen { try await application.deviceInformation(with: nil) }.asInternal
                == .internalBrokerNotAvailable)
    }

    @Test func `a personal device without a broker signs nobody in, and the error says why`() async throws {
        let application = try application(markerExists: false)
        #expect(
            try await seen { try await application.currentAccount(with: nil) }.asInternal == .internalBrokerNotAvailable
        )
    }

    private func application(folder: URL? = nil, markerExists: Bool) throws -> MSALPublicClientApplication {
        let folder = try folder ?? scratchFolder()
        let marker = folder.appending(path: "managed").path
        if markerExists { try Data().write(to: URL(filePath: marker)) }
        let location = BrokerLocation(socket: folder.appending(path: "broker.sock").path, marker: marker)
        return try MSALPublicClientApplication(
            configuration: MSALPublicClientApplicationConfig(
                clientId: "client-1", redirectUri: "msauth.org.example.worker://auth", authority: nil),
            broker: BrokerConnection(location: location, deadlines: .within(.milliseconds(50))))
    }
}
