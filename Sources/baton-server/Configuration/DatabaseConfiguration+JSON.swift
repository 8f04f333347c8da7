// SPDX-License-Identifier: Apache-2.0
internal import StoragePostgreSQL

extension DatabaseConfiguration: Decodable {
    private enum Key: String, CodingKey, CaseIterable { case postgresql }

    init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(beside: Key.allCases.map(\.rawValue))
        self = .postgreSQL(try decoder.container(keyedBy: Key.self).decode(PostgreSQL.self, forKey: .postgresql))
    }
}

extension DatabaseConfiguration.PostgreSQL: Decodable {
    private enum Key: String, CodingKey, CaseIterable {
        case socket, host, port, rootCertificates, name, user, passwordFile, connections
        case poolTimeout, connectTimeout, statementTimeout, lockTimeout, migrationTimeout
    }

    init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(beside: Key.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: Key.self)
        server = try Self.server(container)
        name = try container.text(.name) ?? "baton"
        user = try container.text(.user) ?? "baton-server"
        passwordFile = try container.path(.passwordFile)
        limits = try Self.limits(container)
    }

    private static func server(_ container: KeyedDecodingContainer<Key>) throws -> PostgreSQLConfiguration.Server {
        let port = try container.number(.port, in: 1...65535) ?? 5432
        let roots = try container.path(.rootCertificates)
        guard let host = try container.text(.host) else {
            if roots != nil { throw container.mistake(.rootCertificates, "rootCertificates needs the key host") }
            return .socket(folder: try container.path(.socket) ?? "/run/postgresql", port: port)
        }
        guard !container.contains(.socket) else { throw container.mistake(.host, "host and socket exclude each other") }
        guard !host.contains("/"), !host.hasPrefix("@") else {
            throw container.mistake(.host, "host must be a name or an address; the folder of a socket is socket")
        }
        guard let roots else { throw container.mistake(.rootCertificates, "host needs the key rootCertificates") }
        return .tls(host: host, port: port, rootCertificates: roots)
    }

    private static func limits(_ container: KeyedDecodingContainer<Key>) throws -> PostgreSQLConfiguration.Limits {
        var limits = PostgreSQLConfiguration.Limits()
        if let connections = try container.number(.connections, in: 1...500) { limits.connections = connections }
        for (key, range, limit) in timeouts {
            if let seconds = try container.number(key, in: range) { limits[keyPath: limit] = .seconds(seconds) }
        }
        guard limits.lock <= limits.statement else {
            throw container.mistake(.lockTimeout, "lockTimeout must not be longer than statementTimeout")
        }
        return limits
    }

    private static var timeouts: [(Key, ClosedRange<Int>, WritableKeyPath<PostgreSQLConfiguration.Limits, Duration>)] {
        [
            (.poolTimeout, 1...60, \.pool), (.connectTimeout, 1...60, \.connect),
            (.statementTimeout, 1...300, \.statement), (.lockTimeout, 1...300, \.lock),
            (.migrationTimeout, 1...86400, \.migration),
        ]
    }
}

extension KeyedDecodingContainer {
    /// Returns a text that must not be empty; nil if the key is missing.
    fileprivate func text(_ key: Key) throws -> String? {
        guard let text = try decodeIfPresent(String.self, forKey: key) else { return nil }
        guard !text.isEmpty, !text.utf8.contains(0) else {
            throw mistake(key, "\(key.stringValue) must not be empty or contain U+0000")
        }
        return text
    }

    fileprivate func path(_ key: Key) throws -> String? {
        guard let path = try text(key) else { return nil }
        // libpq reads a comma as the end of one socket's folder and the beginning of another.
        guard path.hasPrefix("/"), !path.contains(",") else {
            throw mistake(key, "\(key.stringValue) must be an absolute path without a comma")
        }
        return path
    }

    fileprivate func mistake(_ key: Key, _ explanation: String) -> DecodingError {
        DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: explanation)
    }
}
