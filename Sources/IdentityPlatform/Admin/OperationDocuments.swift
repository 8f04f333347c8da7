// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import JSON
internal import Storage
internal import Synchronization

/// The OpenAPI documents of the interfaces. Everybody can read the document of the HTTPS listener, so each document is made
/// once, when it is first asked for.
final class OperationDocuments: Sendable {
    /// Nil if the server has no HTTPS listener for its administration.
    private let signIn: AdminSignIn?
    private let made = Mutex<[AuditInterface: [UInt8]]>([:])

    init(_ names: IdentityConfiguration.Names, _ resources: ResourceCatalogue) {
        let metadata = resources.administration.flatMap { ProtectedResource($0, names) }
        let endpoints = "\(names.origin(of: names.login))/organizations/oauth2/v2.0"
        signIn = metadata.map { metadata in
            AdminSignIn(
                resource: metadata.resource, authorizationEndpoint: "\(endpoints)/authorize",
                tokenEndpoint: "\(endpoints)/token")
        }
    }

    /// Returns the document for callers at an interface, as JSON.
    func document(for interface: AuditInterface) -> [UInt8] {
        made.withLock { made in
            if let document = made[interface] { return document }
            let described: OpenAPIDocument.Interface =
                if interface == .https, let signIn { .https(signIn) } else { .socket }
            let document = JSONWriter.write(OpenAPIDocument.of(AdminOperation.all, at: described))
            made[interface] = document
            return document
        }
    }
}
