// SPDX-License-Identifier: Apache-2.0
import Foundation
import Storage
import StoragePostgreSQL
import TestSupport
import Testing

/// Two engines with a few tables, each in an SQLite file.
struct TransferFixture {
    let scratch: Scratch

    static let shops = EngineSchema(
        name: "shops",
        migrations: [
            Migration(
                "shops",
                [
                    // The parent's name sorts after the child's, so an order by name would put the child first.
                    """
                    CREATE TABLE store (
                        region TEXT NOT NULL, number BIGINT NOT NULL, displayName TEXT, photo BLOB,
                        PRIMARY KEY (region, number))
                    """,
                    """
                    CREATE TABLE clerk (
                        badge BLOB NOT NULL PRIMARY KEY, region TEXT NOT NULL, number BIGINT NOT NULL,
                        FOREIGN KEY (region, number) REFERENCES store (region, number) ON DELETE CASCADE)
                    """,
                ]),
            Migration("openingHours", ["ALTER TABLE store ADD COLUMN openedAt BIGINT NOT NULL DEFAULT 0"]),
        ])
    static let stock = EngineSchema(
        name: "stock",
        migrations: [Migration("stock", ["CREATE TABLE item (id TEXT NOT NULL PRIMARY KEY, count BIGINT NOT NULL)"])])

    static let silent: TransferProgress.Report = { _ in }

    func path(_ engine: EngineSchema) -> String { scratch.path(engine.name + ".sqlite") }

    /// Creates the databases with some rows, including every kind of value. One table fills exactly one page, and one
    /// fills several.
    static func with(_ body: (TransferFixture) async throws -> Void) async throws {
        try await Scratch.with { scratch in
            let fixture = TransferFixture(scratch: scratch)
            let shops = try await fixture.database(shops)
            try await shops.write { connection in
                for number in [Int64.min, -1, 0, 1] + Array(2...250) + [Int64.max] {
                    let photo: [UInt8]? =
                        number == 3 ? [] : number.isMultiple(of: 2) ? [0, 255, UInt8(abs(number % 200))] : nil
                    let name: String? =
                        number == 4 ? "" : number.isMultiple(of: 3) ? nil : "Zoë's \u{1F4E6} \"\(number)\"\n"
                    try connection.execute(
                        """
                        INSERT INTO store (region, number, displayName, photo, openedAt)
                        VALUES (\(number.isMultiple(of: 5) ? "é" : "z"), \(number), \(name), \(photo), \(number))
                        """)
                }
                for badge in 0..<100 {
                    try connection.execute(
                        """
                        INSERT INTO clerk (badge, region, number)
                        VALUES (\([UInt8(badge), 0, 255]), \("z"), \(Int64(7)))
                        """)
                }
            }
            let stock = try await fixture.database(stock)
            try await stock.write { try $0.execute("INSERT INTO item (id, count) VALUES ('a', 1)") }
            try await body(fixture)
        }
    }

    func database(_ engine: EngineSchema) async throws -> SQLiteDatabase {
        try await SQLiteDatabase(path: path(engine), migrations: engine.migrations)
    }

    func files() async throws -> [SQLiteFile] {
        [
            try await SQLiteFile(path: path(Self.shops), schema: Self.shops),
            try await SQLiteFile(path: path(Self.stock), schema: Self.stock),
        ]
    }
}

/// Two new schemas of a PostgreSQL database.
struct TransferTarget {
    let shops: PostgreSQLConfiguration
    let stock: PostgreSQLConfiguration

    static func with(
        of cluster: PostgreSQLCluster? = nil, _ body: (TransferTarget) async throws -> Void
    ) async throws {
        try await withSchema(of: cluster) { shops in
            try await withSchema(of: cluster) { try await body(TransferTarget(shops: shops, stock: $0)) }
        }
    }

    func open() async throws -> PostgreSQLTarget {
        try await PostgreSQLTarget([
            .init(engine: TransferFixture.shops, configuration: shops),
            .init(engine: TransferFixture.stock, configuration: stock),
        ])
    }

    func sources() async throws -> [PostgreSQLSource] {
        [
            try await PostgreSQLSource(shops, schema: TransferFixture.shops),
            try await PostgreSQLSource(stock, schema: TransferFixture.stock),
        ]
    }

    /// Copies the files' content, compares it, and returns the number of rows.
    func copy(_ files: [SQLiteFile], isReplacing: Bool = false) async throws -> Int {
        try await open().write(files, isReplacing: isReplacing, TransferFixture.silent)
        var compared = 0
        for (file, source) in zip(files, try await sources()) {
            compared += try await file.compare(with: source, TransferFixture.silent)
        }
        return compared
    }
}

/// Returns the error that `body` must throw.
func transferRefusal(
    _ code: TransferError.Code, by body: () async throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
) async -> String {
    let error = await #expect(throws: TransferError.self, sourceLocation: sourceLocation) { try await body() }
    #expect(error?.code == code, "\(error?.message ?? "")", sourceLocation: sourceLocation)
    return error?.message ?? ""
}
