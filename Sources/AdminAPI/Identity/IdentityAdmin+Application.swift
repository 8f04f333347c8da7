// SPDX-License-Identifier: Apache-2.0

extension IdentityAdmin {
    /// A public key with which an application authenticates when it acts for itself.
    package struct ClientKey: Codable, Sendable, Equatable {
        /// The thumbprint of the key (RFC 7638).
        package let id: String
        package let name: String
        /// `RSA` or `P-256`.
        package let kind: String
        /// Milliseconds since 1970.
        package let createdAt: Int64
        /// When the key's certificate expires, in milliseconds since 1970; nil for a key without a certificate.
        package let expiresAt: Int64?

        package init(id: String, name: String, kind: String, createdAt: Int64, expiresAt: Int64?) {
            (self.id, self.name, self.kind) = (id, name, kind)
            (self.createdAt, self.expiresAt) = (createdAt, expiresAt)
        }
    }

    /// A key to register.
    package struct NewClientKey: Codable, Sendable {
        package var name: String
        /// A public key or a certificate, in PEM.
        package var publicKey: String

        package init(name: String, publicKey: String) { (self.name, self.publicKey) = (name, publicKey) }
    }

    /// A permission that an application has for itself, without a person.
    package struct ApplicationPermission: Codable, Sendable, Equatable {
        package let permission: String
        /// Milliseconds since 1970.
        package let grantedAt: Int64

        package init(permission: String, grantedAt: Int64) {
            (self.permission, self.grantedAt) = (permission, grantedAt)
        }
    }
}

/// The operations on applications that act for themselves.
///
/// A key gives whoever has it all permissions of the application. Therefore adding a key needs the same permission as
/// granting permissions; otherwise an application could give itself those of another one.
extension IdentityAdmin {
    package static let listClientKeys = Endpoint<Empty, [ClientKey]>(
        "listClientKeys", .get("/identity/tenants/{tenant}/clients/{client}/keys"),
        by: .roles(.globalAdministrator, .globalReader, permission: "Application.Read.All"),
        effect: .reading,
        summary: "Lists the public keys with which a confidential client can act for itself.")

    package static let addClientKey = Endpoint<NewClientKey, ClientKey>(
        "addClientKey", .post("/identity/tenants/{tenant}/clients/{client}/keys"), status: 201,
        by: .roles(.globalAdministrator, permission: "AppRoleAssignment.ReadWrite.All"),
        effect: .danger("client.key.add"), givesPower: true,
        errors: [
            "identity.client.public", "identity.client.key", "identity.client.keys", "identity.display.name",
            "identity.name.taken",
        ],
        summary: "Registers a public key with which a confidential client can act for itself.",
        details:
            "`publicKey` is a public key or a certificate in PEM, with RSA of 2048 to 4096 bits or P-256. The key of "
            + "a certificate is valid until the certificate expires. A client has at most five keys.")

    package static let removeClientKey = Endpoint<Empty, Empty>(
        "removeClientKey", .delete("/identity/tenants/{tenant}/clients/{client}/keys/{key}"),
        by: .roles(.globalAdministrator, permission: "AppRoleAssignment.ReadWrite.All"),
        effect: .change("client.key.remove"), givesPower: true,
        summary: "Removes a public key of a client.",
        details: "Tokens that the client got with the key stay valid until they expire.")

    package static let listApplicationPermissions = Endpoint<Empty, [ApplicationPermission]>(
        "listApplicationPermissions", .get("/identity/tenants/{tenant}/clients/{client}/application-permissions"),
        by: .roles(.globalAdministrator, .globalReader, permission: "Application.Read.All"),
        effect: .reading,
        summary: "Lists the permissions that a client has for itself, without a person.")

    package static let grantApplicationPermission = Endpoint<Empty, Empty>(
        "grantApplicationPermission",
        .put("/identity/tenants/{tenant}/clients/{client}/application-permissions/{permission}"),
        by: .roles(.globalAdministrator, permission: "AppRoleAssignment.ReadWrite.All"),
        effect: .danger("client.permission.grant"), givesPower: true,
        errors: ["identity.client.public"],
        summary: "Grants a confidential client a permission for itself, without a person.",
        details: "Succeeds also if the client has the permission already.")

    package static let revokeApplicationPermission = Endpoint<Empty, Empty>(
        "revokeApplicationPermission",
        .delete("/identity/tenants/{tenant}/clients/{client}/application-permissions/{permission}"),
        by: .roles(.globalAdministrator, permission: "AppRoleAssignment.ReadWrite.All"),
        effect: .change("client.permission.revoke"), givesPower: true,
        summary: "Revokes a permission that a client has for itself, also in its existing tokens.",
        details: "Succeeds also if the client does not have the permission.")
}
