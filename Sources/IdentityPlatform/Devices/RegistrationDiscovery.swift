// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

/// The discovery document of device registration: its endpoints and versions.
struct RegistrationDiscovery {
    private enum Name: String, WireName {
        case authenticationService = "AuthenticationService"
        case authorizationEndpoint = "AuthCodeEndpoint"
        case deviceJoinService = "DeviceJoinService"
        case discoveryEndpoint = "DiscoveryEndpoint"
        case discoveryService = "DiscoveryService"
        case displayName = "DisplayName"
        case endpoint = "Endpoint"
        case federated = "Federated"
        case identityProviderService = "IdentityProviderService"
        case joinEndpoint = "JoinEndpoint"
        case joinResourceID = "JoinResourceId"
        case keyProvisionEndpoint = "KeyProvisionEndpoint"
        case keyProvisionResourceID = "KeyProvisionResourceId"
        case keyProvisioningService = "KeyProvisioningService"
        case nonceService = "NonceService"
        case oauth = "OAuth2"
        case resourceID = "ResourceId"
        case serviceVersion = "ServiceVersion"
        case tenantID = "TenantId"
        case tenantInfo = "TenantInfo"
        case tenantName = "TenantName"
        case tokenEndpoint = "TokenEndpoint"
    }

    let names: IdentityConfiguration.Names
    let tenant: Tenant

    /// The document's members.
    var members: MembersWriter {
        let id = tenant.id.rawValue
        let registration = names.origin(of: names.deviceRegistration)
        let login = names.origin(of: names.login)
        let resource = "urn:ms-drs:\(names.deviceRegistration)"
        var discovery = service("1.9")
        discovery.set(Name.discoveryEndpoint, registration + EndpointPath.registrationDiscovery(tenant: id))
        var join = service("2.0")
        join.set(Name.joinEndpoint, registration + EndpointPath.registration)
        join.set(Name.joinResourceID, resource)
        var key = service("1.0")
        key.set(Name.keyProvisionEndpoint, registration + EndpointPath.helloKey)
        key.set(Name.keyProvisionResourceID, resource)
        var nonce = service("1.0")
        nonce.set(Name.endpoint, registration + EndpointPath.registrationNonce(tenant: id))
        nonce.set(Name.resourceID, resource)
        var oauth = MembersWriter()
        oauth.set(Name.authorizationEndpoint, login + EndpointPath.authorize(tenant: id))
        oauth.set(Name.tokenEndpoint, login + EndpointPath.token(tenant: id))
        var authentication = MembersWriter()
        authentication.set(Name.oauth, oauth)
        var provider = MembersWriter()
        provider.set(Name.federated, false)
        var info = MembersWriter()
        info.set(Name.displayName, tenant.displayName)
        info.set(Name.tenantID, id)
        info.set(Name.tenantName, tenant.domain)
        var document = MembersWriter()
        document.set(Name.discoveryService, discovery)
        document.set(Name.authenticationService, authentication)
        document.set(Name.identityProviderService, provider)
        document.set(Name.deviceJoinService, join)
        document.set(Name.keyProvisioningService, key)
        document.set(Name.nonceService, nonce)
        document.set(Name.tenantInfo, info)
        return document
    }

    private func service(_ version: String) -> MembersWriter {
        var service = MembersWriter()
        service.set(Name.serviceVersion, version)
        return service
    }
}
