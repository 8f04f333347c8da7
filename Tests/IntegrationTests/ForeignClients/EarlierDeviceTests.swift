// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import Foundation
import TestSupport
import Testing

/// Devices of this version and of earlier versions, against the present server: see
/// `Tests/ForeignClients/earlier_devices.py`.
@Suite(.serialized, .foreignClients) struct EarlierDeviceTests {
    /// The versions of devices that the server must serve, from the names of the files in `Tests/Fixtures/devices`.
    static let versions: [String] = {
        let folder = Repository.root + "/Tests/Fixtures/devices"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.map { $0.replacing(".json", with: "") }.sorted()
    }()

    @Test(arguments: versions)
    func `devices of each supported version are served`(version: String) async throws {
        let clients = try ForeignClients.lent
        clients.add("device_version", version)
        try await clients.check("earlier_devices.py", "exchanges")
    }

    @Test func `a field that is missing on either side is noticed`() async throws {
        let clients = try ForeignClients.lent
        clients.add("device_version", BrokerVersion.current)
        try await clients.check("earlier_devices.py", "notices")
    }

    @Test func `this version of the device has a file`() { #expect(Self.versions.contains(BrokerVersion.current)) }
}
