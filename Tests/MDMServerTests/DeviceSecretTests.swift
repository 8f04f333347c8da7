// SPDX-License-Identifier: Apache-2.0
import Files
import Foundation
import MDMProtocol
import MDMServer
import Storage
import StorageTestSupport
import Synchronization
import Testing

/// A copy of the MDM server's database must reveal no secret of a device.
@Suite struct DeviceSecretTests {
    private static let unlockToken = Array("an escrow token of iOS".utf8)

    private static func tokenUpdate(_ device: HandDevice) -> CheckInMessage {
        .tokenUpdate(
            .init(udid: device.udid, topic: device.topic, token: [1], pushMagic: "m", unlockToken: unlockToken))
    }

    /// Pieces of a command's payload. In a database file, each piece lies within one page or is split between two.
    private static func pieces(of command: CommandRequest) throws -> [[UInt8]] {
        let body = try command.propertyList.xml()
        return stride(from: 600, to: body.count - 600, by: 1000).map { Array(body[$0..<$0 + 24]) }
    }

    private static func isAnything(of secrets: [[UInt8]], in fixture: TestMDM) throws -> Bool {
        try secrets.contains { try !AuthorityTests.files(with: $0, in: fixture).isEmpty }
    }

    @Test func `an identity that waits for its device and an unlock token are sealed in the database`() async throws {
        try await TestMDM.with(on: .sqlite) { fixture in
            let device = try await HandDevice.settled(fixture, named: "tablet-1")
            #expect(try await device.checkIn(Self.tokenUpdate(device)) == 200)
            fixture.now.advance(days: 300)
            let command = try #require(try await device.report(.idle))
            #expect(command.command.requestType == "InstallProfile")
            let secrets = try Self.pieces(of: command) + [Self.unlockToken]
            #expect(try !Self.isAnything(of: secrets, in: fixture))
            _ = try await device.report(.acknowledged, command.uuid)
            #expect(try !Self.isAnything(of: secrets, in: fixture))
        }
    }

    @Test func `data that an older server stored unsealed is sealed, and still reaches the device`() async throws {
        try await TestMDM.with { fixture in
            let profile = try await fixture.enrollmentProfile(named: "tablet-2")
            let device = try await HandDevice.enrolled(fixture, named: "tablet-1")
            let path = fixture.folder.path + "/old.sqlite"
            let command = CommandRequest(uuid: UUID().uuidString, command: .installProfile(profile))
            let secrets = try Self.pieces(of: command) + [Self.unlockToken]
            try await Self.writeAsBefore(command, for: device, in: fixture, to: path)
            #expect(try Self.isAnything(of: secrets.dropLast(), in: fixture))
            #expect(try Self.isAnything(of: secrets.suffix(1), in: fixture))
            do {
                let database = try await SQLiteDatabase(path: path, migrations: MDMSchema.migrations)
                let later = HandDevice(try await fixture.over(database), like: device)
                #expect(try await later.report(.idle) == command)
                let sealed: [UInt8]? = try await database.read { connection in
                    try connection.row("SELECT sealedUnlockToken FROM device")?["sealedUnlockToken"]
                }
                #expect(
                    try TestMDM.sealer().open(
                        try #require(sealed), "unlock token \(TestMDM.tenant) \(device.udid)")
                        == Self.unlockToken)
            }
            #expect(try !Self.isAnything(of: secrets, in: fixture))
            do {
                let database = try await SQLiteDatabase(path: path, migrations: MDMSchema.migrations)
                let later = HandDevice(try await fixture.over(database), like: device)
                #expect(
                    try await later.report(.acknowledged, command.uuid)?.command == .profileList(managedOnly: false))
            }
        }
    }

    /// Writes the database of an older server that did not seal secrets, with one queued command and an unlock token.
    private static func writeAsBefore(
        _ command: CommandRequest, for device: HandDevice, in fixture: TestMDM, to path: String
    ) async throws {
        let old = try await SQLiteDatabase(path: path, migrations: Array(MDMSchema.migrations.prefix(4)))
        typealias Kept = (certificate: [UInt8], sealed: [UInt8]?)
        let (authority, fingerprint): (Kept, String) = try await fixture.management.database.read { connection in
            let authority = try #require(try connection.row("SELECT certificate, sealedPrivateKey FROM authority"))
            let row = try #require(
                try connection.row("SELECT fingerprint FROM enrollment WHERE udid = \(device.udid)"))
            return (
                (certificate: try authority["certificate"], sealed: try authority["sealedPrivateKey"]),
                try row["fingerprint"]
            )
        }
        let body = try command.propertyList.xml()
        let ends = fixture.now.value.withLock { $0 } + 390 * 86_400_000
        try await old.write { connection in
            try connection.execute(
                """
                INSERT INTO authority (name, certificate, privateKey, sealedPrivateKey)
                VALUES ('identity', \(authority.certificate), \([UInt8]()), \(authority.sealed))
                """)
            try connection.execute(
                "INSERT INTO tenant (id, organization, topic) VALUES (\(TestMDM.tenant), 'Contoso', \(device.topic))"
            )
            try connection.execute(
                """
                INSERT INTO enrolment (tenant, id, name, fingerprint, state, udid, createdAt, expiresAt)
                VALUES (\(TestMDM.tenant), 'e', 'tablet-1', \(fingerprint), 'bound', \(device.udid), 0, \(ends))
                """)
            try connection.execute(
                """
                INSERT INTO device (tenant, udid, enrolment, name, state, unlockToken, changedAt)
                VALUES (\(TestMDM.tenant), \(device.udid), 'e', 'tablet-1', 'enrolled', \(Self.unlockToken), 0)
                """)
            try connection.execute(
                """
                INSERT INTO command (tenant, udid, position, uuid, requestType, body, state, enqueuedAt)
                VALUES (\(TestMDM.tenant), \(device.udid), 1, \(command.uuid), 'InstallProfile', \(body), 'queued', 0)
                """)
        }
    }
}
