// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth

/// An endpoint that the discovery documents name where it is served: the documents are written from the routes that there
/// are, so that they promise nothing else.
enum PublishedEndpoint: String, WireName, CaseIterable {
    case authorization = "authorization_endpoint"
    case token = "token_endpoint"
    case deviceAuthorization = "device_authorization_endpoint"
    case endSession = "end_session_endpoint"
    case introspection = "introspection_endpoint"
    case revocation = "revocation_endpoint"
    case userInfo = "userinfo_endpoint"
    case keySet = "jwks_uri"

    /// The paths behind the tenant that it may be served at, the one to be named first.
    func paths(_ version: TokenVersion) -> [String] {
        switch (self, version) {
        case (.keySet, .two): ["/discovery/v2.0/keys"]
        case (.keySet, .one): ["/discovery/keys"]
        case (.userInfo, _): ["/openid/userinfo"]
        case (_, .two): ["/oauth2/v2.0/\(word)"]
        // What the older version has no address of its own for is served at the newer one's.
        case (_, .one): ["/oauth2/\(word)", "/oauth2/v2.0/\(word)"]
        }
    }

    /// The route of one version.
    func route(_ version: TokenVersion) -> RouterPath { RouterPath("/{tenant}" + (paths(version).first ?? "")) }

    /// The routes of both versions.
    var routes: [RouterPath] {
        [route(.two), route(.one)]
    }

    private var word: String {
        switch self {
        case .authorization: "authorize"
        case .token: "token"
        case .deviceAuthorization: "devicecode"
        case .endSession: "logout"
        case .introspection: "introspect"
        case .revocation: "revoke"
        case .userInfo: "userinfo"
        case .keySet: "keys"
        }
    }
}

/// The paths of a host's routes, by which the documents know what is served.
struct ServedPaths: Sendable {
    private let paths: Set<String>

    init(_ router: Router<IdentityContext>) { paths = Set(router.routes.map { Self.plain($0.path.description) }) }

    func contains(_ path: String) -> Bool { paths.contains(Self.plain(path)) }

    /// Without regard to case and to what a route calls its parts.
    private static func plain(_ path: String) -> String {
        path.split(separator: "/").map { $0.contains("{") || $0.hasPrefix(":") ? "*" : $0.lowercased() }
            .joined(separator: "/")
    }
}
