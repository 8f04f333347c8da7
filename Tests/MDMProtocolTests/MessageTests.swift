// SPDX-License-Identifier: Apache-2.0
import MDMProtocol
import Testing

@Suite struct MessageTests {
    @Test(
        arguments: [
            .authenticate(
                .init(
                    udid: "U", topic: "t", osVersion: "6.1", productName: "Linux", serialNumber: "S", deviceName: "n",
                    model: "M", modelName: "Linux")
            ),
            .tokenUpdate(
                .init(udid: "U", topic: "t", token: [1], pushMagic: "m", unlockToken: [2], awaitingConfiguration: true)),
            .checkOut(.init(udid: "U", topic: "t")),
        ] as [CheckInMessage])
    func `check-in messages are decoded as they were encoded`(message: CheckInMessage) throws {
        #expect(try CheckInMessage(propertyList: PropertyList(xml: message.propertyList.xml())) == message)
    }

    @Test(
        arguments: [
            .installProfile([1, 2]), .removeProfile(identifier: "p"), .profileList(managedOnly: true),
            .settings([
                .applicationConfiguration(identifier: "a.b", configuration: ["sharedDeviceMode": true]),
                .applicationConfiguration(identifier: "a.b", configuration: nil),
            ]),
            .installApplication(.init(manifestURL: "https://m", configuration: ["k": [1, "x"]])),
            .managedApplicationList(identifiers: nil), .managedApplicationList(identifiers: ["a.b"]),
            .deviceInformation(queries: ["UDID"]), .unknown(requestType: "EraseDevice"),
        ] as [Command])
    func `commands are decoded as they were encoded`(command: Command) throws {
        let request = CommandRequest(uuid: "c1", command: command)
        #expect(try CommandRequest(propertyList: PropertyList(xml: request.propertyList.xml())) == request)
    }

    @Test(arguments: [
        CommandResult(udid: "U", status: .idle),
        CommandResult(
            udid: "U", status: .error, commandUUID: "c", errorChain: [ErrorItem(code: 12021, domain: "d", message: "m")]
        ),
        CommandResult(
            udid: "U", status: .acknowledged, commandUUID: "c",
            answer: .profiles([
                InstalledProfile(
                    identifier: "p", uuid: "u", isManaged: true,
                    payloads: [.init(type: "t", identifier: "i", uuid: "v")])
            ])),
        CommandResult(
            udid: "U", status: .acknowledged, commandUUID: "c",
            answer: .managedApps([
                ManagedAppStatus(
                    identifier: "a.b", state: .managed, flags: [.removeWithManagement], hasConfiguration: true)
            ])),
        CommandResult(
            udid: "U", status: .acknowledged, commandUUID: "c",
            answer: .installation(identifier: "a.b", state: .other("Queued"))),
        CommandResult(
            udid: "U", status: .acknowledged, commandUUID: "c",
            answer: .settings([
                SettingResult(
                    item: "ApplicationConfiguration", identifier: "a.b", status: .error,
                    errorChain: [ErrorItem(code: 3, domain: "d", message: "m")])
            ])),
        CommandResult(udid: "U", status: .acknowledged, commandUUID: "c", answer: .information(["UDID": "U"])),
    ])
    func `results are decoded as they were encoded`(result: CommandResult) throws {
        #expect(try CommandResult(propertyList: PropertyList(xml: result.propertyList.xml())) == result)
    }

    @Test func `the type of a malformed command is still readable, so that the device can answer`() throws {
        let value: PropertyList = [
            "CommandUUID": "c1", "Command": ["RequestType": "InstallProfile", "Payload": "text"],
        ]
        let error = #expect(throws: CommandRequest.Malformed.self) { try CommandRequest(propertyList: value) }
        #expect(error?.uuid == "c1")
        #expect(error?.cause == FieldError(.payload, .wrongType))
        let nameless: PropertyList = ["Command": ["RequestType": "ProfileList"]]
        #expect(
            #expect(throws: CommandRequest.Malformed.self) { try CommandRequest(propertyList: nameless) }?.uuid == nil)
    }

    @Test func `a manifest that points outside its folder or avoids its digest is refused`() throws {
        let good = AppManifest(
            bundleIdentifier: "org.baton.authenticator", version: "1.0", title: "Broker", url: "https://m/p", size: 4,
            sha256: [UInt8](repeating: 7, count: 32))
        #expect(try AppManifest(propertyList: PropertyList(xml: good.propertyList.xml())) == good)
        let changes: [(inout AppManifest) -> Void] = [
            { $0.bundleIdentifier = "../../etc.x" }, { $0.bundleIdentifier = "nodots" },
            { $0.bundleIdentifier = "a/b.c" },
            { $0.version = ".." }, { $0.version = "" }, { $0.url = "http://m/p" }, { $0.size = -1 },
            { $0.size = AppManifest.maximumSize + 1 }, { $0.sha256 = [1] },
        ]
        for change in changes {
            var bad = good
            change(&bad)
            #expect(throws: FieldError.self) { try AppManifest(propertyList: bad.propertyList) }
        }
    }
}
