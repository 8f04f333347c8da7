// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import DeviceSettings
internal import Files
import JSON
import Logging
import MDMClient
import Observability

/// The configuration file of `batond`.
struct BatondConfiguration: Decodable {
    let supervisor: SupervisorConfiguration
    let marker: ManagedMarker
    let logLevel: Logger.Level
    let logFormat: LogFormat

    private enum Key: String, CodingKey, CaseIterable {
        case directory, runtimeDirectory, managedMarker, trustRoots, resolve, sessionUsers, checkInInterval,
            appRegistry, sessionPolicy, tpm, helper, retention, logLevel, logFormat
    }

    /// The current keys, by the names that they had before 0.1.
    private static let renamed: [String: Key] = ["doors": .sessionPolicy]

    private static let limits = JSONLimits(bytes: 1 << 20)

    /// Reads the file.
    ///
    /// - Throws: ``ConfigurationError`` with the file's name, the cause and the remedy; ``FileError`` if the file
    ///   cannot be read.
    init(file: String) throws {
        guard let bytes = try AtomicFile(path: file).read(limit: Self.limits.bytes) else {
            throw ConfigurationError(file: file, cause: "there is no such file", remedy: "Give its path with --config.")
        }
        do {
            self = try JSONReader.read(Self.self, from: bytes, limits: Self.limits)
        } catch let error as ConfigurationError {
            throw ConfigurationError(file: file, cause: error.cause, remedy: error.remedy)
        } catch let failure as JSONFailure {
            throw ConfigurationError(file: file, cause: "it is not JSON (\(failure))", remedy: "Correct it there.")
        } catch {
            throw ConfigurationError(
                file: file, cause: "it does not have the form that batond expects",
                remedy: "See docs/reference/configuration.md.")
        }
    }

    init(from decoder: any Decoder) throws {
        let unknown = try decoder.container(keyedBy: AnyKey.self).allKeys
            .map(\.stringValue).filter { Key(rawValue: $0) == nil }.sorted()
        if let key = unknown.first(where: { Self.renamed[$0] != nil }), let new = Self.renamed[key] {
            throw ConfigurationError(file: "", cause: "\(key) is now called \(new.rawValue)", remedy: "Rename the key.")
        }
        guard unknown.isEmpty else {
            throw ConfigurationError(
                file: "", cause: "unknown keys: \(unknown.joined(separator: ", "))",
                remedy: "Known keys: \(Key.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        let values = try decoder.container(keyedBy: Key.self)
        supervisor = SupervisorConfiguration(
            directory: try values.decode(String.self, forKey: .directory),
            runtimeDirectory: try values.decode(String.self, forKey: .runtimeDirectory),
            trustRoots: try values.decode(String.self, forKey: .trustRoots),
            resolve: try values.decodeIfPresent([String: String].self, forKey: .resolve) ?? [:],
            sessionUsers: try values.decodeIfPresent([UInt32].self, forKey: .sessionUsers) ?? [],
            checkInInterval: try values.decodeIfPresent(Int.self, forKey: .checkInInterval) ?? 900,
            appRegistry: try values.decodeIfPresent(String.self, forKey: .appRegistry),
            sessionPolicy: try values.decodeIfPresent(SessionPolicySettings.self, forKey: .sessionPolicy)?.configuration
                ?? .standard,
            tpm: try values.decodeIfPresent(TPMSettings.self, forKey: .tpm)?.configuration,
            helper: try values.decodeIfPresent(String.self, forKey: .helper),
            receiptDays: try values.decodeIfPresent(RetentionSettings.self, forKey: .retention)?.receiptDays
                ?? SupervisorConfiguration.standardReceiptDays)
        for (key, path) in [(Key.appRegistry, supervisor.appRegistry), (.helper, supervisor.helper)]
        where path?.hasPrefix("/") == false {
            throw ConfigurationError(
                file: "", cause: "\(key.rawValue) is not an absolute path", remedy: "Give the whole path of the file.")
        }
        guard (1...86_400).contains(supervisor.checkInInterval) else {
            throw ConfigurationError(
                file: "", cause: "checkInInterval (\(supervisor.checkInInterval)) is not between 1 and 86400 seconds",
                remedy: "Leave it out for 900.")
        }
        let path = try values.decodeIfPresent(String.self, forKey: .managedMarker) ?? WellKnownPath.managedMarker
        guard path.hasPrefix("/"), !path.hasPrefix(supervisor.directory + "/") else {
            throw ConfigurationError(
                file: "", cause: "managedMarker (\(path)) must be an absolute path outside of directory",
                remedy: "Apps must be able to see the file: set directory to /var/lib/baton/device, or move the marker."
            )
        }
        marker = ManagedMarker(path: path)
        logLevel = try values.decodeIfPresent(Logger.Level.self, forKey: .logLevel) ?? .info
        logFormat = try values.decodeIfPresent(LogFormat.self, forKey: .logFormat) ?? .text
    }

    struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

/// A configuration that cannot be used; the program does not start with guessed values.
struct ConfigurationError: Error, CustomStringConvertible {
    let file: String
    let cause: String
    let remedy: String

    var description: String { "configuration \(file): \(cause). \(remedy)" }
}
