// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import OAuth
internal import Storage

/// A worker's own key on a personal device (Windows Hello): an alternative to the password, valid on that device only.
struct HelloKey: Sendable {
    let tenant: TenantID
    let person: UserID
    let device: DeviceID
    /// SHA-256 over the key in the device's encoding. In base64, it is the `kid` of the assertions that the key signs.
    let hash: [UInt8]
    let key: JSONWebKey

    /// Parses a registered key in the device's encoding (`BCRYPT_RSAKEY_BLOB`).
    ///
    /// - Throws: ``JOSEFailure``
    init(blob: [UInt8], of person: User, on device: DeviceID) throws(JOSEFailure) {
        let numbers = try RSAPublicKeyBlob.decode(blob)
        key = JSONWebKey(numbers: .rsa(modulus: numbers.modulus, exponent: numbers.exponent))
        _ = try key.verificationKey()
        (tenant, self.person, self.device, hash) = (person.tenant, person.id, device, Array(SHA256.hash(data: blob)))
    }
}

extension HelloKey: Record {
    static let table = "helloKey"
    enum Column: String, ColumnName { case tenant, person, device, hash, key, registered }

    init(_ row: TableRow<HelloKey>) throws {
        guard let members = try? Members(decoding: try row[.key]), let key = try? JSONWebKey(members) else {
            throw StorageError(.unexpectedValue, "a worker's own key does not parse")
        }
        (tenant, person, device) = (try row[.tenant], try row[.person], try row[.device])
        (hash, self.key) = (try row[.hash], key)
    }
}

/// Access to the workers' own keys in one transaction. A person has at most one key per device.
struct HelloKeys {
    private let connection: any Connection

    init(_ connection: any Connection) { self.connection = connection }

    /// Stores a key and replaces the person's earlier key on the device.
    func replace(with key: HelloKey, at time: Timestamp) throws {
        try connection.upsert(
            into: HelloKey.self, key: [.tenant, .person, .device],
            [
                .tenant: key.tenant, .person: key.person, .device: key.device, .hash: key.hash,
                .key: key.key.encoded, .registered: time,
            ])
    }

    func find(hash: [UInt8], device: DeviceID, tenant: TenantID) throws -> HelloKey? {
        try connection.record(
            HelloKey.self, "WHERE tenant = \(tenant) AND device = \(device) AND hash = \(hash)")
    }

    /// Removes every key of a person, including a key that was registered while someone else had control of the
    /// account.
    func removeAll(of person: UserID, tenant: TenantID) throws {
        try connection.execute("DELETE FROM helloKey WHERE tenant = \(tenant) AND person = \(person)")
    }
}
