// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth

/// `/common/discovery/instance`: returns whether a host belongs to this platform, and the platform's other names.
/// Clients send this request before they send a password to an unknown host.
struct InstanceDiscovery: Sendable {
    let names: IdentityConfiguration.Names

    func addRoutes(to router: Router<IdentityContext>) {
        router.get("/{tenant}/discovery/instance") { request, _ in try answer(try request.queryParameters()) }
    }

    private func answer(_ parameters: FormParameters) throws -> Response {
        let ours = [names.login] + names.aliases.login
        let version = try parameters.required(.apiVersion)
        guard Self.versions.contains(version) else { throw OAuthError.unsupportedAPIVersion }
        guard let address = HTTPSAddress(try parameters.required(.authorizationEndpoint)),
            ours.contains(address.host), let tenant = address.path.split(separator: "/").first,
            tenant.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-.".contains($0)) })
        else { throw OAuthError.unknownInstance }
        var host = MembersWriter()
        host.set(Name.preferredNetwork, names.login)
        host.set(Name.preferredCache, names.login)
        host.set(Name.aliases, ours)
        var document = MembersWriter()
        document.set(
            Name.document, "\(names.origin(of: names.login))/\(tenant)/v2.0/.well-known/openid-configuration")
        document.set(ParameterName.apiVersion, version)
        document.set(Name.metadata, [host])
        return Response(json: document)
    }

    private static let versions = ["1.0", "1.1"]

    private enum Name: String, WireName {
        case aliases
        case document = "tenant_discovery_endpoint"
        case metadata
        case preferredCache = "preferred_cache"
        case preferredNetwork = "preferred_network"
    }
}
