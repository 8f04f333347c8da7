// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import MSAL
import Testing
import UnixSocket

/// Rules DEV of `msal-api.md`; where they let a failure read as "personal", ours do not.
@Suite(.timeLimit(.minutes(1))) struct DeviceInformationTests {
    @Test(arguments: [(DeviceInfo.Mode.shared, MSALDeviceMode.shared), (.personal, .default)])
    func `DEV-3 DEV-9 the broker's mode is the device's mode`(mode: DeviceInfo.Mode, expected: MSALDeviceMode)
        async throws
    {
        let broker = try ScriptedBroker { end in
            try end.greet()
            try end.answer(try end.request(), device: World.device(mode))
            end.waitForEnd()
        }
        let information = try await broker.application().deviceInformation(with: nil)
        #expect(information.deviceMode == expected)
        #expect(information.description == (mode == .shared ? "Device mode shared" : "Device mode default"))
    }

    @Test func `DEV-5 DEV-6 the registration and the reason for the mode are texts beside it`() async throws {
        let broker = try ScriptedBroker { end in
            try end.greet()
            try end.answer(try end.request())
            end.waitForEnd()
        }
        let extra = try await broker.application().deviceInformation(with: nil).extraDeviceInformation
        #expect(extra["primary_registration_metadata_tenant_id"] as? String == World.tenant)
        #expect(extra["primary_registration_metadata_device_id"] as? String == "d")
        #expect(extra["isSSOExtensionInFullMode"] as? String == "Yes")
        #expect(extra["baton_device_mode_reason"] as? String == "configured")
    }

    @Test(arguments: [nil, "", "Shared", "kiosk"])
    func `an answer without a known mode is an error and never a mode`(mode: String?) async throws {
        let broker = try ScriptedBroker { end in
            try end.greet()
            let request = try end.request()
            var map = FlatMap.response(to: request.operation, type: .generic, device: World.shared)
            map[.deviceMode] = mode
            try end.reply(request, .success(map))
            end.waitForEnd()
        }
        let application = try broker.application()
        #expect(
            try await seen { try await application.deviceInformation(with: nil) }.asInternal
                == .internalErrorBrokerUnknown)
    }

    @Test func `an answer that claims no success is an error`() async throws {
        let broker = try ScriptedBroker { end in
            try end.greet()
            let request = try end.request()
            var map = FlatMap.response(to: request.operation, type: .generic, device: World.device(.personal))
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

    @Test func `DEV-2 a device without a socket that nothing calls managed is personal`() async throws {
        let application = try application(markerExists: false)
        #expect(try await application.deviceInformation(with: nil).deviceMode == .default)
    }

    @Test func `a managed device without a socket is an error with a remedy, never personal`() async throws {
        let application = try application(markerExists: true)
        let error = try await seen { try await application.deviceInformation(with: nil) }
        #expect(error.asInternal == .internalBrokerNotAvailable)
        #expect(error.text.contains("Check that batond runs"))
    }

    @Test func `a socket that nobody listens on is an error even where nothing says managed`() async throws {
        let folder = try scratchFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "broker.sock").path
        // The listener dies without removing its file, as a killed broker does.
        let listener = try Listener(path: path, mode: 0o600)
        listener.close()
        let application = try application(folder: folder, markerExists: false)
        #expect(
            try await seen { try await application.deviceInformation(with: nil) }.asInternal
                == .internalBrokerNotAvailable)
    }

    @Test func `a broker that was there and is gone is an error, never personal, whatever the marker says`()
        async throws
    {
        let broker = try ScriptedBroker(deadlines: .within(.milliseconds(100)), marker: "/nowhere/managed") { end in
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

    @Test func `a personal device without a broker signs nobody in and says why`() async throws {
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
