// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth

/// An endpoint that the discovery documents list if it is served. The documents are generated from the existing routes,
/// so they list only what is served.
enum PublishedEndpoint: String, WireName, CaseIterable {
    case authorization = "authorization_endpoint"
    case token = "token_endpoint"
    case deviceAuthorization = "device_authorization_endpoint"
    case endSession = "end_session_endpoint"
    case introspection = "introspection_endpoint"
    case revocation = "revocation_endpoint"
    case userInfo = "userinfo_endpoint"
    case keySet = "jwks_uri"

    /// Returns the paths, relative to the tenant, at which the endpoint may be served. The preferred path is first.
    func paths(_ version: TokenVersion) -> [String] {
        switch (self, version) {
        case (.keySet, .two): ["/discovery/v2.0/keys"]
        case (.keySet, .one): ["/discovery/keys"]
        case (.userInfo, _): ["/openid/userinfo"]
        case (_, .two): ["/oauth2/v2.0/\(word)"]
        // An endpoint without a version 1 path is served at the version 2 path.
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

/// The paths of a host's routes, from which the discovery documents are generated.
struct ServedPaths: Sendable {
    private let paths: Set<String>

    init(_ router: Router<IdentityContext>) { paths = Set(router.routes.map { Self.plain($0.path.description) }) }

    func contains(_ path: String) -> Bool { paths.contains(Self.plain(path)) }

    /// Returns the path in lower case, with `*` in place of every parameter.
    private static func plain(_ path: String) -> String {
        path.split(separator: "/").map { $0.contains("{") || $0.hasPrefix(":") ? "*" : $0.lowercased() }
            .joined(separator: "/")
    }
}
