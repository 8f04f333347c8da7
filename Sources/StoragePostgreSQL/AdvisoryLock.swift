// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// A lock on a name instead of a row, kept by the server. It ends with the connection that holds it.
struct AdvisoryLock: Sendable {
    /// The two numbers that identify the lock, as arguments of the server's functions.
    let key: SQL

    init(name: String) {
        var hash: UInt32 = 0x811c_9dc5
        for byte in name.utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        key = "CAST(\(Self.kind) AS INT), CAST(\(Int64(Int32(bitPattern: hash))) AS INT)"
    }

    /// The lock of a job in the schema of one engine.
    init(job: String, schema: String) { self.init(name: "\(schema)/\(job)") }

    /// Distinguishes Baton's locks from the locks of other programs: "Btn" in ASCII.
    private static let kind: Int64 = 0x42_74_6e
}
