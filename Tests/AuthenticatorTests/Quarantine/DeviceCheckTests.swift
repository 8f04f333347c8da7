// SPDX-License-Identifier: Apache-2.0
import Authenticator
import BrokerProtocol
import Foundation
import TestSupport
import Testing

/// Whether a device's state is its own, and can be read.
@Suite struct DeviceCheckTests {
    @Test func `a new device belongs to its machine from then on`() throws {
        try World.with { world in
            #expect(try world.check() == nil)
            #expect(try world.check() == nil)
            let binding = try Data(contentsOf: world.file("machine-binding"))
            #expect(binding.range(of: Data("a-machine".utf8)) == nil)
        }
    }

    @Test func `state that comes from another machine is refused`() throws {
        try World.with { world in
            #expect(try world.check() == nil)
            try world.name("another-machine")
            #expect(try world.check() == .otherMachine)
            try world.name("")
            #expect(try world.check() == .machineUnknown)
            try FileManager.default.removeItem(atPath: world.machine)
            #expect(try world.check() == .machineUnknown)
            try world.name("a-machine")
            #expect(try world.check() == nil)
        }
    }

    @Test func `a machine without a number binds nothing, until it has one`() throws {
        try World.with { world in
            try FileManager.default.removeItem(atPath: world.machine)
            #expect(try world.check() == nil)
            try world.name("a-machine")
            #expect(try world.check() == nil)
            try world.name("another-machine")
            #expect(try world.check() == .otherMachine)
        }
    }

    @Test func `without the sealing key nobody can say whose the state is`() throws {
        try World.with { world in
            #expect(try world.check() == nil)
            try FileManager.default.removeItem(at: world.file("keys/sealing.key"))
            #expect(try world.check() == .damaged(file: "keys/sealing.key"))
        }
    }

    @Test(arguments: ["sealing.key", "device.pem", "transport.pem", "receipt.pem"])
    func `a key that others may read is not used`(name: String) throws {
        try World.with { world in
            #expect(try world.check() == nil)
            let keys = KeyStore(directory: Directory(path: world.file("keys").path), platform: nil)
            _ = try DeviceKeys.make(in: keys)
            _ = try ReceiptKey.make(in: keys)
            for mode in [0o640, 0o604, 0o620] {
                let file = world.file("keys/" + name)
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
                #expect(throws: KeyFileExposed.self) {
                    _ = try world.check()
                    _ = try DeviceKeys(in: keys)
                    _ = try ReceiptKey(in: keys)
                }
            }
        }
    }

    @Test(arguments: ["journal", "principals.json", "ended-sessions.json", "live-session.json", "join.json"])
    func `what cannot be read is named`(name: String) throws {
        try World.with { world in
            #expect(try world.check() == nil)
            var random = SystemRandomNumberGenerator()
            try DeviceFiles(root: Directory(path: world.state)).write(
                JournalRecord.ready(Epoch(random: &random, counter: 1)))
            try Data("{".utf8).write(to: world.file(name))
            #expect(try world.check() == .damaged(file: name))
        }
    }

    @Test func `state that a later version wrote is refused, and not touched`() throws {
        try World.with { world in
            #expect(try world.check() == nil)
            #expect(try String(contentsOf: world.file("format"), encoding: .utf8) == "1\n")
            // A later version may well write this one otherwise, too.
            try Data("{".utf8).write(to: world.file("journal"))
            try Data("2\n".utf8).write(to: world.file("format"))
            try FileManager.default.removeItem(at: world.file("trash"))
            let reason = try #require(try world.check())
            #expect(reason == .newerFormat(2) && reason.code == "device_state_newer")
            #expect(throws: DeviceStateNewer.self) {
                try DeviceFiles(root: Directory(path: world.state)).prepare()
            }
            #expect(!FileManager.default.fileExists(atPath: world.file("trash").path))
            #expect(try String(contentsOf: world.file("format"), encoding: .utf8) == "2\n")
        }
    }

    @Test(arguments: ["", "1", "0\n", "-1\n", "one\n", "1\n\n", "99999999999999999999\n"])
    func `a number of the state's form that is none is damage`(text: String) throws {
        try World.with { world in
            #expect(try world.check() == nil)
            try Data(text.utf8).write(to: world.file("format"))
            #expect(try world.check() == .damaged(file: "format"))
        }
    }

    /// A device's state on a machine.
    private struct World {
        let state: String
        let machine: String

        static func with(_ body: (World) throws -> Void) throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "check-\(UUID().uuidString)").path
            defer { try? FileManager.default.removeItem(atPath: folder) }
            try Directory(path: folder).make()
            let world = World(state: folder + "/device", machine: folder + "/machine-id")
            try Directory(path: world.state).make()
            try world.name("a-machine")
            try body(world)
        }

        func name(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: machine)) }
        func file(_ name: String) -> URL { URL(filePath: state + "/" + name) }

        func check() throws -> QuarantineReason? {
            try DeviceCheck(state: Directory(path: state), machine: machine).reasonToQuarantine()
        }
    }
}
