// SPDX-License-Identifier: Apache-2.0
package import Foundation

/// The app's configuration file, in JSON. An unknown key is an error.
package struct Configuration: Decodable {
    package let clientId: String
    package let redirectUri: String
    package let authority: URL
    /// The address of Graph, such as `https://graph.baton.test:8443`.
    package let graphEndpoint: URL
    package let scopes: [String]
    /// The file with the trusted root certificates for the call to Graph; if absent, the system's root certificates are
    /// used.
    package let caFile: String?
    /// Host names and the addresses to use for them.
    package let resolve: [String: String]
    /// The folder for the notes.
    package let dataFolder: String

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case clientId, redirectUri, authority, graphEndpoint, scopes, caFile, resolve, dataFolder
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    package init(from decoder: any Decoder) throws {
        let known = Set(CodingKeys.allCases.map(\.rawValue))
        for key in try decoder.container(keyedBy: AnyKey.self).allKeys where !known.contains(key.stringValue) {
            throw ConfigurationError(reason: "unknown key \(key.stringValue)")
        }
        let values = try decoder.container(keyedBy: CodingKeys.self)
        clientId = try values.decode(String.self, forKey: .clientId)
        redirectUri = try values.decode(String.self, forKey: .redirectUri)
        authority = try values.decode(URL.self, forKey: .authority)
        graphEndpoint = try values.decode(URL.self, forKey: .graphEndpoint)
        scopes = try values.decode([String].self, forKey: .scopes)
        caFile = try values.decodeIfPresent(String.self, forKey: .caFile)
        resolve = try values.decodeIfPresent([String: String].self, forKey: .resolve) ?? [:]
        dataFolder = try values.decode(String.self, forKey: .dataFolder)
    }

    package static func read(_ path: String) throws -> Configuration {
        do {
            return try JSONDecoder().decode(Configuration.self, from: Data(contentsOf: URL(filePath: path)))
        } catch let error as ConfigurationError {
            throw error
        } catch DecodingError.keyNotFound(let key, _) {
            throw ConfigurationError(reason: "key \(key.stringValue) is missing")
        } catch DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context) {
            let keys = context.codingPath.map(\.stringValue).joined(separator: ".")
            throw ConfigurationError(
                reason: keys.isEmpty ? "not a JSON object" : "key \(keys) has a value of another kind")
        } catch { throw ConfigurationError(reason: "cannot be read") }
    }
}

/// An error in the configuration file.
package struct ConfigurationError: Error {
    package let reason: String
}
