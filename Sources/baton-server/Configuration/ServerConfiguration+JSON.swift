// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import IdentityPlatform
internal import JSON
internal import Logging
internal import Observability
internal import ProxyProtocol

extension ServerConfiguration {
    /// Reads the configuration file.
    ///
    /// - Throws: ``ServerError``
    init(file: String) throws {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: file))
        } catch {
            throw ServerError(
                .configurationUnreadable, "The configuration file \(file) cannot be read.",
                remedy: "Check the path given with --config and the file's permissions.")
        }
        do {
            self = try JSONReader.read(
                ServerConfiguration.self, from: [UInt8](data), limits: JSONLimits(bytes: 1 << 20))
        } catch let failure as JSONFailure {
            throw ServerError(
                .configurationMalformed, "The configuration file is not JSON: \(failure).", remedy: "Correct it there.")
        } catch let error as DecodingError {
            throw ServerError(
                .configurationMalformed, "The configuration file is not valid: \(error.explanation).",
                remedy: "Compare it with the example in docs/reference/configuration.md.")
        }
    }
}

extension ServerConfiguration: Decodable {
    private enum Key: String, CodingKey, CaseIterable {
        case directory, database, address, port, mdmPort, names, logLevel, passwordCost, keepAlive, compatibility
        case breachedPasswords, auditDays, retention, requestDeadline, connections, connectionsPerAddress, devicePolling
        case signingKeys, packageFolder, loadBalancer, health, logFormat, metrics, administrationPort
    }

    init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(beside: Key.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: Key.self)
        directory = try container.decode(String.self, forKey: .directory)
        database = try container.decodeIfPresent(DatabaseConfiguration.self, forKey: .database) ?? .sqlite
        address = try container.decodeIfPresent(String.self, forKey: .address) ?? "127.0.0.1"
        port = try container.port(.port)
        mdmPort = try container.port(.mdmPort)
        administrationPort =
            try container.number(.administrationPort, in: 1...65535)
            ?? IdentityConfiguration.Names.standardAdministrationPort
        names = try container.decode(Names.self, forKey: .names)
        monitoring = Monitoring(
            logLevel: try container.decodeIfPresent(Logger.Level.self, forKey: .logLevel) ?? .info,
            logFormat: try container.decodeIfPresent(LogFormat.self, forKey: .logFormat) ?? .text,
            metrics: try container.decodeIfPresent(PlainListener.self, forKey: .metrics))
        passwords = Passwords(
            cost: try container.number(.passwordCost, in: 10...20) ?? 15,
            breached: try container.decodeIfPresent(String.self, forKey: .breachedPasswords))
        compatibility =
            try container.decodeIfPresent(CompatibilitySwitches.self, forKey: .compatibility)?.compatibility
            ?? Compatibility()
        packageFolder = try container.absolutePath(.packageFolder)
        retention = try Retention(
            container.decodeIfPresent(RetentionDays.self, forKey: .retention) ?? RetentionDays(),
            formerAuditDays: container.number(.auditDays, in: 1...36_500), in: container)
        limits = Limits(
            requestDeadline: try container.number(.requestDeadline, in: 1...600) ?? 60,
            connections: try container.number(.connections, in: 16...32_768),
            connectionsPerAddress: try container.number(.connectionsPerAddress, in: 4...32_768),
            keepAlive: try container.number(.keepAlive, in: 1...300) ?? 30)
        var loadBalancer = try container.decodeIfPresent(LoadBalancer.self, forKey: .loadBalancer) ?? LoadBalancer()
        loadBalancer.health = try container.decodeIfPresent(PlainListener.self, forKey: .health)
        self.loadBalancer = loadBalancer
        devicePolling = try container.number(.devicePolling, in: 1...60) ?? 5
        signingKeys =
            try container.decodeIfPresent(SigningKeys.self, forKey: .signingKeys)?.keys ?? KeyConfiguration()
        try checkPorts()
    }

    /// Checks that no two listeners have one address and port.
    private func checkPorts() throws {
        var listeners = [("port", address, port), ("mdmPort", address, mdmPort)]
        if names.administration != nil { listeners.append(("administrationPort", address, administrationPort)) }
        if let health = loadBalancer.health { listeners.append(("health.port", health.address, health.port)) }
        if let metrics = monitoring.metrics { listeners.append(("metrics.port", metrics.address, metrics.port)) }
        for (index, (name, address, port)) in listeners.enumerated() {
            guard let other = listeners[..<index].first(where: { $0.1 == address && $0.2 == port }) else { continue }
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "\(other.0) and \(name) must differ"))
        }
    }
}

extension ServerConfiguration.LoadBalancer: Decodable {
    private enum Key: String, CodingKey, CaseIterable { case addresses, drain }

    init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(beside: Key.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: Key.self)
        for text in try container.decodeIfPresent([String].self, forKey: .addresses) ?? [] {
            guard let range = AddressRange(text) else {
                throw DecodingError.dataCorruptedError(
                    forKey: Key.addresses, in: container,
                    debugDescription: "addresses must be IP addresses or networks such as 192.0.2.0/24")
            }
            addresses.append(range)
        }
        drain = try container.number(.drain, in: 0...300) ?? 10
    }
}

extension ServerConfiguration.PlainListener: Decodable {
    private enum Key: String, CodingKey, CaseIterable { case address, port }

    init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(beside: Key.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: Key.self)
        address = try container.decodeIfPresent(String.self, forKey: .address) ?? "127.0.0.1"
        port = try container.port(.port)
    }
}

/// The `retention` object of the file.
private struct RetentionDays: Decodable {
    var audit: Int?
    var session: Int?
    var receipt: Int?
    var command: Int?

    private enum Key: String, CodingKey, CaseIterable { case auditDays, sessionDays, receiptDays, commandDays }

    init() {}

    init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(beside: Key.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: Key.self)
        audit = try container.number(.auditDays, in: 1...36_500)
        session = try container.number(.sessionDays, in: 1...3650)
        receipt = try container.number(.receiptDays, in: 1...36_500)
        command = try container.number(.commandDays, in: 1...36_500)
    }
}

extension ServerConfiguration.Retention {
    /// - Parameter formerAuditDays: the value of `auditDays` outside `retention`, which is the key's former place.
    fileprivate init<Key>(
        _ days: RetentionDays, formerAuditDays: Int?, in container: KeyedDecodingContainer<Key>
    ) throws {
        guard days.audit == nil || formerAuditDays == nil else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: container.codingPath,
                    debugDescription: "auditDays and retention.auditDays are the same setting: remove auditDays"))
        }
        self.init()
        auditDays = days.audit ?? formerAuditDays ?? auditDays
        sessionDays = days.session ?? sessionDays
        receiptDays = days.receipt ?? receiptDays
        commandDays = days.command ?? commandDays
    }
}

/// The `signingKeys` object of the file.
private struct SigningKeys: Decodable {
    let keys: KeyConfiguration

    private enum Key: String, CodingKey, CaseIterable { case ageDays, publicationHours }

    init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(beside: Key.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: Key.self)
        var keys = KeyConfiguration()
        if let days = try container.number(.ageDays, in: 1...3650) { keys.age = .seconds(days * 86400) }
        if let hours = try container.number(.publicationHours, in: 1...720) {
            keys.publication = .seconds(hours * 3600)
        }
        guard keys.publication < keys.age else {
            throw DecodingError.dataCorruptedError(
                forKey: Key.publicationHours, in: container,
                debugDescription: "publicationHours must be shorter than ageDays")
        }
        self.keys = keys
    }
}

/// The `compatibility` object of the file.
private struct CompatibilitySwitches: Decodable {
    let compatibility: Compatibility

    private enum Key: String, CodingKey, CaseIterable {
        case passwordGrant, keyDerivationVersionOne, codeWithoutProofKey, unboundCredentialCookie
    }

    init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(beside: Key.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: Key.self)
        compatibility = Compatibility(
            passwordGrant: try container.decodeIfPresent(Bool.self, forKey: .passwordGrant) ?? false,
            keyDerivationVersionOne: try container.decodeIfPresent(Bool.self, forKey: .keyDerivationVersionOne)
                ?? false,
            codeWithoutProofKey: try container.decodeIfPresent(Bool.self, forKey: .codeWithoutProofKey) ?? false,
            unboundCredentialCookie: try container.decodeIfPresent(Bool.self, forKey: .unboundCredentialCookie)
                ?? false)
    }
}

extension ServerConfiguration.Names: Decodable {
    private enum Key: String, CodingKey, CaseIterable { case login, deviceRegistration, graph, mdm, administration }

    init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(beside: Key.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: Key.self)
        let login = try container.decode(NameList.self, forKey: .login)
        let deviceRegistration = try container.decode(NameList.self, forKey: .deviceRegistration)
        let graph = try container.decode(NameList.self, forKey: .graph)
        (self.login, self.deviceRegistration, self.graph) = (login.first, deviceRegistration.first, graph.first)
        mdm = try container.decode(String.self, forKey: .mdm)
        administration = try container.decodeIfPresent(String.self, forKey: .administration)
        aliases = .init(login: login.others, deviceRegistration: deviceRegistration.others, graph: graph.others)
        guard Set(all.map { $0.lowercased() }).count == all.count, !all.contains(where: \.isEmpty) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "the names must differ"))
        }
        guard all.allSatisfy(Self.isHostName) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "a name must be a host name, without scheme, port and spaces"))
        }
    }
}

extension ServerConfiguration.Names {
    /// Whether a text is a host name or an IPv4 address (RFC 1123 section 2.1).
    private static func isHostName(_ text: String) -> Bool {
        text.utf8.count <= 253
            && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
                    && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
            }
    }
}

/// One host name, or a list: the first is the server's own name, the others are aliases.
private struct NameList: Decodable {
    let first: String
    let others: [String]

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let name = try? container.decode(String.self) {
            (first, others) = (name, [])
            return
        }
        let names = try container.decode([String].self)
        guard let name = names.first else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "a list of names is empty")
        }
        (first, others) = (name, Array(names.dropFirst()))
    }
}

private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension Decoder {
    /// Refuses every key that is not in `known`.
    func refuseKeys(beside known: [String]) throws {
        let keys = try container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
        guard let unknown = keys.first(where: { !known.contains($0) }) else { return }
        throw DecodingError.dataCorrupted(
            .init(codingPath: codingPath, debugDescription: "the key \(unknown) is not known"))
    }
}

extension KeyedDecodingContainer {
    /// Returns the number of an optional key; nil if the key is missing.
    func number(_ key: Key, in range: ClosedRange<Int>) throws -> Int? {
        guard let number = try decodeIfPresent(Int.self, forKey: key) else { return nil }
        guard range.contains(number) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self,
                debugDescription: "\(key.stringValue) must be \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Returns the path of an optional key; nil if the key is missing.
    fileprivate func absolutePath(_ key: Key) throws -> String? {
        guard let path = try decodeIfPresent(String.self, forKey: key) else { return nil }
        guard path.hasPrefix("/") else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "\(key.stringValue) must be an absolute path")
        }
        return path
    }

    fileprivate func port(_ key: Key) throws -> Int {
        let port = try decode(Int.self, forKey: key)
        guard (1...65535).contains(port) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "\(key.stringValue) must be 1 to 65535")
        }
        return port
    }
}

extension DecodingError {
    /// The cause of the error, phrased for the operator.
    fileprivate var explanation: String {
        switch self {
        case .keyNotFound(let key, _): "the key \(key.stringValue) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "the value of \(context.codingPath.last?.stringValue ?? "the file") has the wrong type"
        case .dataCorrupted(let context): context.debugDescription
        @unknown default: "it cannot be decoded"
        }
    }
}
