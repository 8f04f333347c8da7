// SPDX-License-Identifier: Apache-2.0
import Crypto
import Files
import Foundation
import MDMProtocol
import MDMServer
import Storage
import StorageTestSupport
import Testing

/// The key that issues device identities. Anyone who has it can issue an identity for any device.
@Suite struct AuthorityTests {
    @Test func `the authority's key is sealed in the database`() async throws {
        try await TestMDM.with(on: .sqlite) { fixture in
            _ = try await HandDevice.enrolled(fixture, named: "tablet-1")
            let (clear, sealed) = try await Self.kept(in: fixture.management.database)
            #expect(clear.isEmpty)
            let key = try TestMDM.sealer().open(try #require(sealed), Self.purpose)
            #expect(key.count == 32)
            #expect(try Self.files(with: key, in: fixture) == [])
        }
    }

    @Test func `a key that an older server stored unsealed is sealed, and the same authority continues`() async throws {
        try await TestMDM.with { fixture in
            let device = try await HandDevice.enrolled(fixture, named: "tablet-1")
            let path = fixture.folder.path + "/old.sqlite"
            let (_, sealed) = try await Self.kept(in: fixture.management.database)
            let key = try TestMDM.sealer().open(try #require(sealed), Self.purpose)
            let certificate = fixture.management.identityAuthority
            do {
                let old = try await SQLiteDatabase(path: path, migrations: Array(MDMSchema.migrations.prefix(3)))
                try await old.write { connection in
                    try connection.execute(
                        """
                        INSERT INTO authority (name, certificate, privateKey)
                        VALUES ('identity', \(certificate), \(key))
                        """)
                }
            }
            #expect(try Self.files(with: key, in: fixture) != [])
            do {
                let database = try await SQLiteDatabase(path: path, migrations: MDMSchema.migrations)
                let management = try await MDMService(
                    configuration: fixture.management.configuration, database: database, sealer: TestMDM.sealer()
                )
                #expect(management.identityAuthority == certificate)
                let (clear, sealed) = try await Self.kept(in: database)
                #expect(clear.allSatisfy { $0 == 0 })
                #expect(try TestMDM.sealer().open(try #require(sealed), Self.purpose) == key)
                // With another sealing key, the server cannot open the authority's key, and does not replace it.
                await #expect(throws: (any Error).self) {
                    try await MDMService(
                        configuration: fixture.management.configuration, database: database,
                        sealer: TestMDM.sealer(2))
                }
            }
            #expect(try Self.files(with: key, in: fixture) == [])
            #expect(try await device.report(.idle) != nil)
        }
    }

    private static let purpose = "device management identity authority"

    private static func kept(in database: any Database) async throws -> (clear: [UInt8], sealed: [UInt8]?) {
        try await database.read { connection in
            let row = try #require(try connection.row("SELECT privateKey, sealedPrivateKey FROM authority"))
            return (try row["privateKey"], try row["sealedPrivateKey"])
        }
    }

    /// Returns the database files that contain the key.
    static func files(with key: [UInt8], in fixture: TestMDM) throws -> [String] {
        let files = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path).filter {
            $0.contains(".sqlite")
        }
        #expect(!files.isEmpty)
        return try files.filter { file in
            try Data(contentsOf: URL(filePath: fixture.folder.path + "/" + file)).firstRange(of: Data(key)) != nil
        }
    }
}
