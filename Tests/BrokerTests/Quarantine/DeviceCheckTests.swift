// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import BrokerSupervisor
import DeviceKeyStore
import DeviceSettings
import Files
import Foundation
import TestSupport
import Testing

/// Whether a device's state belongs to the device and can be read.
@Suite struct DeviceCheckTests {
    @Test func `a new device is bound to its machine from its first start`() throws {
        try Fixture.with { fixture in
            #expect(try fixture.check() == nil)
            #expect(try fixture.check() == nil)
            let binding = try Data(contentsOf: fixture.file("machine-binding"))
            #expect(binding.range(of: Data("a-machine".utf8)) == nil)
        }
    }

    @Test func `state that comes from another machine is refused`() throws {
        try Fixture.with { fixture in
            #expect(try fixture.check() == nil)
            try fixture.name("another-machine")
            #expect(try fixture.check() == .otherMachine)
            try fixture.name("")
            #expect(try fixture.check() == .machineUnknown)
            try FileManager.default.removeItem(atPath: fixture.machine)
            #expect(try fixture.check() == .machineUnknown)
            try fixture.name("a-machine")
            #expect(try fixture.check() == nil)
        }
    }

    @Test func `a machine without an id binds no state until it has one`() throws {
        try Fixture.with { fixture in
            try FileManager.default.removeItem(atPath: fixture.machine)
            #expect(try fixture.check() == nil)
            try fixture.name("a-machine")
            #expect(try fixture.check() == nil)
            try fixture.name("another-machine")
            #expect(try fixture.check() == .otherMachine)
        }
    }

    @Test func `without the sealing key the owner of the state is unknown`() throws {
        try Fixture.with { fixture in
            #expect(try fixture.check() == nil)
            try FileManager.default.removeItem(at: fixture.file("keys/sealing.key"))
            #expect(try fixture.check() == .damaged(file: "keys/sealing.key"))
        }
    }

    @Test(arguments: ["sealing.key", "device.pem", "transport.pem", "receipt.pem"])
    func `a key that other users may read is not used`(name: String) throws {
        try Fixture.with { fixture in
            #expect(try fixture.check() == nil)
            let keys = KeyStore(directory: Directory(path: fixture.file("keys").path), platform: nil)
            try MadeDeviceKeys.put(in: keys)
            _ = try ReceiptKey.make(in: keys)
            for mode in [0o640, 0o604, 0o620] {
                let file = fixture.file("keys/" + name)
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
                #expect(throws: KeyFileExposed.self) {
                    _ = try fixture.check()
                    _ = try DeviceKeys(in: keys)
                    _ = try ReceiptKey(in: keys)
                }
            }
        }
    }

    @Test(arguments: [
        "journal", "tombstones.json", "ended-sessions.json", "live-session.json", "join.json", "join-confirmed.json",
        "browser-holder.json", "departure.json", "app-locks.json",
    ])
    func `a file that cannot be read is named`(name: String) throws {
        try Fixture.with { fixture in
            #expect(try fixture.check() == nil)
            var random = SystemRandomNumberGenerator()
            try DeviceFiles(root: Directory(path: fixture.state)).write(
                JournalRecord.ready(Epoch(random: &random, counter: 1)))
            try Data("{".utf8).write(to: fixture.file(name))
            #expect(try fixture.check() == .damaged(file: name))
        }
    }

    @Test func `state that a later version wrote is refused and left untouched`() throws {
        try Fixture.with { fixture in
            #expect(try fixture.check() == nil)
            #expect(try String(contentsOf: fixture.file("format"), encoding: .utf8) == "\(DeviceFiles.currentFormat)\n")
            // A later version may also write this file in a different format.
            try Data("{".utf8).write(to: fixture.file("journal"))
            try Data("3\n".utf8).write(to: fixture.file("format"))
            try FileManager.default.removeItem(at: fixture.file("trash"))
            let reason = try #require(try fixture.check())
            #expect(reason == .newerFormat(3) && reason.code == "device_state_newer")
            #expect(throws: UnknownStateFormat.self) {
                try DeviceFiles(root: Directory(path: fixture.state)).prepare()
            }
            #expect(!FileManager.default.fileExists(atPath: fixture.file("trash").path))
            #expect(try String(contentsOf: fixture.file("format"), encoding: .utf8) == "3\n")
        }
    }

    @Test(arguments: ["1\n", nil])
    func `state that an earlier version wrote is refused and left untouched`(number: String?) throws {
        try Fixture.with { fixture in
            #expect(try fixture.check() == nil)
            try Data("{".utf8).write(to: fixture.file("journal"))
            try FileManager.default.removeItem(at: fixture.file("format"))
            if let number { try Data(number.utf8).write(to: fixture.file("format")) }
            try FileManager.default.removeItem(at: fixture.file("trash"))
            let reason = try #require(try fixture.check())
            #expect(reason == .olderFormat(1) && reason.code == "device_state_older")
            #expect(throws: UnknownStateFormat.self) {
                try DeviceFiles(root: Directory(path: fixture.state)).prepare()
            }
            #expect(!FileManager.default.fileExists(atPath: fixture.file("trash").path))
        }
    }

    @Test(arguments: ["", "1", "0\n", "-1\n", "one\n", "1\n\n", "99999999999999999999\n"])
    func `a malformed format number of the state counts as damage`(text: String) throws {
        try Fixture.with { fixture in
            #expect(try fixture.check() == nil)
            try Data(text.utf8).write(to: fixture.file("format"))
            #expect(try fixture.check() == .damaged(file: "format"))
        }
    }

    /// A device's state on a machine.
    private struct Fixture {
        let state: String
        let machine: String

        static func with(_ body: (Fixture) throws -> Void) throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "check-\(UUID().uuidString)").path
            defer { try? FileManager.default.removeItem(atPath: folder) }
            try Directory(path: folder).make()
            let fixture = Fixture(state: folder + "/device", machine: folder + "/machine-id")
            try Directory(path: fixture.state).make()
            try fixture.name("a-machine")
            try body(fixture)
        }

        func name(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: machine)) }
        func file(_ name: String) -> URL { URL(filePath: state + "/" + name) }

        func check() throws -> QuarantineReason? {
            try DeviceCheck(state: Directory(path: state), machine: machine).reasonToQuarantine()
        }
    }
}
