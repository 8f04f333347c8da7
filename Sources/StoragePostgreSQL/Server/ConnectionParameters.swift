// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import CPostgreSQL
internal import Glibc
internal import Redaction
internal import Storage

/// The parameters with which libpq opens a connection.
struct ConnectionParameters {
    private let settings: [(name: String, value: String)]
    private let passwordFile: String?

    /// - Parameter isForMigration: whether the connection waits for other nodes' migrations and runs this node's
    ///   migrations.
    /// - Throws: ``Failure`` if the configuration is not usable.
    init(_ configuration: PostgreSQLConfiguration, isForMigration: Bool = false) throws(Failure) {
        try Self.check(configuration)
        let limits = configuration.limits
        let session = [
            "search_path": "\(configuration.schema),pg_temp",
            "default_transaction_isolation": "serializable",
            "statement_timeout": "\((isForMigration ? limits.migration : limits.statement).milliseconds)",
            "lock_timeout": "\((isForMigration ? limits.migration : limits.lock).milliseconds)",
            "idle_in_transaction_session_timeout": "\(limits.statement.milliseconds)",
            // The server also notices within 11 s that a node is gone, and releases the node's locks.
            "tcp_keepalives_idle": "5", "tcp_keepalives_interval": "2", "tcp_keepalives_count": "3",
            "tcp_user_timeout": "11000",
            "bytea_output": "hex",
            "client_min_messages": "error",
        ]
        var settings = [
            ("dbname", configuration.database), ("user", configuration.user), ("client_encoding", "UTF8"),
            ("application_name", "baton-server"),
            ("options", session.map { "-c \($0)=\($1)" }.sorted().joined(separator: " ")),
            // A standby refuses writes. With several hosts, the connection goes to the host that accepts writes.
            ("target_session_attrs", "read-write"), ("gssencmode", "disable"),
            // libpq would otherwise look for a password in the user's home folder.
            ("passfile", "/dev/null/none"),
            // Keep-alive probes detect within 11 s that the server is gone, even if no packet reports it.
            ("keepalives_idle", "5"), ("keepalives_interval", "2"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "11000"),
        ]
        switch configuration.server {
        case .socket(let folder, let port): settings += [("host", folder), ("port", "\(port)"), ("sslmode", "disable")]
        case .tls(let host, let port, let rootCertificates):
            settings += [
                ("host", host), ("port", "\(port)"), ("sslmode", "verify-full"), ("sslrootcert", rootCertificates),
            ]
        }
        self.settings = settings.map { (name: $0, value: $1) }
        passwordFile = configuration.passwordFile
    }

    private static func check(_ configuration: PostgreSQLConfiguration) throws(Failure) {
        func require(_ condition: Bool, _ message: String) throws(Failure) {
            guard condition else { throw Failure(.unavailable, as: .failed, message) }
        }
        let schema = configuration.schema.utf8
        try require(
            !schema.isEmpty && schema.count <= 48
                && schema.allSatisfy {
                    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "_")
                        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                },
            "the schema's name may have only lower-case letters, digits and _, at most 48")
        try require(
            !configuration.database.isEmpty && !configuration.user.isEmpty, "the database and the user need a name")
        let limits = configuration.limits
        try require(limits.connections > 0, "the pool needs at least one connection")
        // PostgreSQL interprets 0 as "no limit".
        try require(
            [limits.statement, limits.lock, limits.migration, limits.connect, limits.announcementCheck].allSatisfy {
                $0 >= .milliseconds(1)
            },
            "each limit must be at least one millisecond")
        // libpq treats a host without a leading "/" as a name on the network, and an empty value as absent.
        switch configuration.server {
        case .socket(let folder, _):
            try require(folder.hasPrefix("/") && !folder.contains(","), "the socket's folder must be an absolute path")
        case .tls(let host, _, let rootCertificates):
            try require(
                !host.isEmpty && !host.contains("/") && !host.hasPrefix("@"), "the host must be a name or an address")
            try require(rootCertificates.hasPrefix("/"), "the file with root certificates must be an absolute path")
        }
    }

    /// Begins to connect. Returns nil if there is no memory.
    func start() throws(Failure) -> OpaquePointer? {
        let password = try readPassword()
        return unsafe withPassword(password) { password in
            let names = settings.map(\.name) + ["password"]
            return unsafe withCStrings(names) { names in
                unsafe withCStrings(settings.map(\.value), followedBy: password) { values in
                    unsafe PQconnectStartParams(names, values, 0)
                }
            }
        }
    }

    private func readPassword() throws(Failure) -> SecretBytes? {
        guard let passwordFile else { return nil }
        return try Self.password(passwordFile)
    }

    private func withPassword<R>(_ password: SecretBytes?, _ body: (UnsafePointer<CChar>?) -> R) -> R {
        guard let password else { return body(nil) }
        return unsafe password.withUnsafeBytes { bytes in
            unsafe body(bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
        }
    }

    /// Reads the password, with a NUL at its end.
    private static func password(_ path: String) throws(Failure) -> SecretBytes {
        func refuse(_ reason: String) -> Failure {
            Failure(.unavailable, as: .failed, "the file with the database's password \(reason)")
        }
        let file = unsafe clinux_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
        guard file >= 0 else { throw refuse("cannot be opened, errno \(-file)") }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw refuse("is no file") }
        guard status.st_mode & 0o027 == 0 else {
            throw refuse("must not be writable by its group or accessible to everybody")
        }
        var bytes = [UInt8](repeating: 0, count: maximumPassword + 2)
        defer { wipe(&bytes) }
        var count = unsafe read(file, &bytes, maximumPassword + 1)
        if count > 0, bytes[count - 1] == UInt8(ascii: "\n") { count -= 1 }
        guard (1...maximumPassword).contains(count) else { throw refuse("is empty or too long") }
        guard !bytes[..<count].contains(0) else { throw refuse("contains a NUL character") }
        bytes[count] = 0
        return SecretBytes(copying: bytes[...count])
    }

    private static let maximumPassword = 4096
}

/// Passes `strings` and `last` to `body` as a list of C strings that ends with a null pointer.
private func withCStrings<R>(
    _ strings: [String], followedBy last: UnsafePointer<CChar>? = nil,
    _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> R
) -> R {
    let copies = unsafe strings.map { unsafe strdup($0) }
    defer { for index in unsafe copies.indices { unsafe free(copies[index]) } }
    var pointers = unsafe copies.map { unsafe UnsafePointer($0) }
    unsafe pointers += [last, nil]
    return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
}
