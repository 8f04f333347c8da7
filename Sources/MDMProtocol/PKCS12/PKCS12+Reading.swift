// SPDX-License-Identifier: Apache-2.0
internal import Redaction
internal import SwiftASN1
internal import X509

extension PKCS12 {
    /// Opens a container.
    ///
    /// - Throws: ``PKCS12Error``.
    package init(container: [UInt8], password: String, limits: Limits = Limits()) throws(PKCS12Error) {
        guard container.count <= limits.bytes else { throw .limitExceeded }
        var reader = PKCS12Reader(password: password, limits: limits)
        do { try reader.read(DER.parse(container)) } catch { throw error as? PKCS12Error ?? .malformed }
        guard reader.keys.count == 1, let key = reader.keys.first, !reader.certificates.isEmpty else { throw .mismatch }
        self.init(privateKey: key, certificates: try Self.ordered(reader.certificates, by: key))
    }

    /// Puts the certificate of the key first.
    private static func ordered(_ certificates: [[UInt8]], by key: SecretBytes) throws(PKCS12Error) -> [[UInt8]] {
        do {
            var bytes = unsafe key.withUnsafeBytes { unsafe Array($0) }
            defer { wipe(&bytes) }
            let publicKey = try Certificate.PrivateKey(derBytes: bytes).publicKey
            let leaf = try certificates.firstIndex { try Certificate(derEncoded: $0).publicKey == publicKey }
            guard let leaf else { throw PKCS12Error.mismatch }
            return [certificates[leaf]] + certificates[..<leaf] + certificates[(leaf + 1)...]
        } catch { throw error as? PKCS12Error ?? .malformed }
    }
}

/// Parses a container and collects its keys and certificates.
private struct PKCS12Reader {
    let password: String
    let limits: PKCS12.Limits
    var keys: [SecretBytes] = []
    var certificates: [[UInt8]] = []

    init(password: String, limits: PKCS12.Limits) {
        self.password = password
        self.limits = limits
    }

    mutating func read(_ root: ASN1Node) throws {
        let safe = try DER.sequence(root, identifier: .sequence) { nodes -> [UInt8] in
            guard try Int(derEncoded: &nodes) == 3 else { throw PKCS12Error.unsupported }
            let safe = try Self.contentInfo(&nodes) { type, content in
                guard type == .data else { throw PKCS12Error.unsupported }
                return Array(try ASN1OctetString(derEncoded: content).bytes)
            }
            // The standard allows a container without a MAC. Such a container is refused, because its integrity cannot
            // be verified.
            guard let mac = nodes.next() else { throw PKCS12Error.unsupported }
            try verify(mac, over: safe)
            return safe
        }
        let contents = try DER.sequence(DER.parse(safe), identifier: .sequence) { try parts(&$0) }
        for content in contents { try bags(content) }
    }

    private func verify(_ node: ASN1Node, over safe: [UInt8]) throws {
        let (expected, authentication) = try DER.sequence(node, identifier: .sequence) { nodes in
            let digest = try DER.sequence(&nodes, identifier: .sequence) { nodes in
                let algorithm = try DER.sequence(&nodes, identifier: .sequence) { nodes in
                    let algorithm = try ASN1ObjectIdentifier(derEncoded: &nodes)
                    _ = nodes.next()
                    return algorithm
                }
                guard algorithm == .sha256Digest else { throw PKCS12Error.unsupported }
                return Array(try ASN1OctetString(derEncoded: &nodes).bytes)
            }
            let salt = Array(try ASN1OctetString(derEncoded: &nodes).bytes)
            let iterations = try nodes.next().map { try Int(derEncoded: $0) } ?? 1
            return (digest, PKCS12.Authentication(salt: salt, iterations: try checked(iterations)))
        }
        guard equalInConstantTime(authentication.tag(over: safe, password: password), expected) else {
            throw PKCS12Error.wrongPassword
        }
    }

    /// Returns the SafeContents of an AuthenticatedSafe, decrypted.
    private func parts(_ nodes: inout ASN1NodeCollection.Iterator) throws -> [[UInt8]] {
        var parts: [[UInt8]] = []
        while let node = nodes.next() {
            guard parts.count < limits.bags else { throw PKCS12Error.limitExceeded }
            parts.append(
                try DER.sequence(node, identifier: .sequence) { nodes in
                    try Self.contentFields(&nodes) { type, content in
                        switch type {
                        case .data: Array(try ASN1OctetString(derEncoded: content).bytes)
                        case .encryptedData: try encryptedData(content)
                        default: throw PKCS12Error.unsupported
                        }
                    }
                })
        }
        return parts
    }

    private func encryptedData(_ node: ASN1Node) throws -> [UInt8] {
        try DER.sequence(node, identifier: .sequence) { nodes in
            guard try Int(derEncoded: &nodes) == 0 else { throw PKCS12Error.unsupported }
            return try DER.sequence(&nodes, identifier: .sequence) { nodes in
                guard try ASN1ObjectIdentifier(derEncoded: &nodes) == .data else { throw PKCS12Error.unsupported }
                let cipher = try cipher(&nodes)
                let bytes = try ASN1OctetString(derEncoded: &nodes, withIdentifier: .zeroTag)
                return try cipher.decrypt(Array(bytes.bytes), password: password)
            }
        }
    }

    private mutating func bags(_ content: [UInt8]) throws {
        guard case .constructed(let bags) = try DER.parse(content).content else { throw PKCS12Error.malformed }
        for bag in bags {
            guard keys.count + certificates.count < limits.bags else { throw PKCS12Error.limitExceeded }
            guard case .constructed(let fields) = bag.content else { throw PKCS12Error.malformed }
            // Attributes such as display names may follow. They are ignored: the key itself shows which certificate
            // belongs to it.
            var nodes = fields.makeIterator()
            let type = try ASN1ObjectIdentifier(derEncoded: &nodes)
            let value = try DER.explicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) { $0 }
            switch type {
            case .shroudedKeyBag: keys.append(try shroudedKey(value))
            case .certificateBag: certificates.append(try certificate(value))
            default: throw PKCS12Error.unsupported
            }
        }
    }

    private func shroudedKey(_ node: ASN1Node) throws -> SecretBytes {
        try DER.sequence(node, identifier: .sequence) { nodes in
            let cipher = try cipher(&nodes)
            var key = try cipher.decrypt(Array(try ASN1OctetString(derEncoded: &nodes).bytes), password: password)
            return SecretBytes(consuming: &key)
        }
    }

    private func certificate(_ node: ASN1Node) throws -> [UInt8] {
        try DER.sequence(node, identifier: .sequence) { nodes in
            guard try ASN1ObjectIdentifier(derEncoded: &nodes) == .x509Certificate else {
                throw PKCS12Error.unsupported
            }
            return try DER.explicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) { node in
                Array(try ASN1OctetString(derEncoded: node).bytes)
            }
        }
    }

    private func cipher(_ nodes: inout ASN1NodeCollection.Iterator) throws -> PKCS12.PasswordCipher {
        try DER.sequence(&nodes, identifier: .sequence) { nodes in
            guard try ASN1ObjectIdentifier(derEncoded: &nodes) == .pbes2 else { throw PKCS12Error.unsupported }
            return try DER.sequence(&nodes, identifier: .sequence) { nodes in
                let (salt, iterations) = try derivation(&nodes)
                let vector = try DER.sequence(&nodes, identifier: .sequence) { nodes in
                    guard try ASN1ObjectIdentifier(derEncoded: &nodes) == .aes256CBC else {
                        throw PKCS12Error.unsupported
                    }
                    return Array(try ASN1OctetString(derEncoded: &nodes).bytes)
                }
                return PKCS12.PasswordCipher(salt: salt, iterations: iterations, vector: vector)
            }
        }
    }

    private func derivation(_ nodes: inout ASN1NodeCollection.Iterator) throws -> (salt: [UInt8], iterations: Int) {
        try DER.sequence(&nodes, identifier: .sequence) { nodes in
            guard try ASN1ObjectIdentifier(derEncoded: &nodes) == .pbkdf2 else { throw PKCS12Error.unsupported }
            return try DER.sequence(&nodes, identifier: .sequence) { nodes in
                let salt = Array(try ASN1OctetString(derEncoded: &nodes).bytes)
                let iterations = try checked(Int(derEncoded: &nodes))
                var function = nodes.next()
                if let node = function, node.identifier == .integer {
                    guard try Int(derEncoded: node) == 32 else { throw PKCS12Error.unsupported }
                    function = nodes.next()
                }
                // If no function is named, the default is HMAC with SHA-1, which is not supported.
                guard let function else { throw PKCS12Error.unsupported }
                let name = try DER.sequence(function, identifier: .sequence) { nodes in
                    let name = try ASN1ObjectIdentifier(derEncoded: &nodes)
                    _ = nodes.next()
                    return name
                }
                guard name == .hmacSHA256 else { throw PKCS12Error.unsupported }
                return (salt, iterations)
            }
        }
    }

    private func checked(_ iterations: Int) throws -> Int {
        guard (1...limits.iterations).contains(iterations) else { throw PKCS12Error.limitExceeded }
        return iterations
    }

    private static func contentInfo<T>(
        _ nodes: inout ASN1NodeCollection.Iterator, _ body: (ASN1ObjectIdentifier, ASN1Node) throws -> T
    ) throws -> T {
        try DER.sequence(&nodes, identifier: .sequence) { try contentFields(&$0, body) }
    }

    private static func contentFields<T>(
        _ nodes: inout ASN1NodeCollection.Iterator, _ body: (ASN1ObjectIdentifier, ASN1Node) throws -> T
    ) throws -> T {
        let type = try ASN1ObjectIdentifier(derEncoded: &nodes)
        return try DER.explicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) { try body(type, $0) }
    }
}

extension DER {
    /// Reads the next node as a sequence.
    fileprivate static func sequence<T>(
        _ nodes: inout ASN1NodeCollection.Iterator, identifier: ASN1Identifier,
        _ body: (inout ASN1NodeCollection.Iterator) throws -> T
    ) throws -> T {
        guard let node = nodes.next() else { throw PKCS12Error.malformed }
        return try sequence(node, identifier: identifier, body)
    }
}
