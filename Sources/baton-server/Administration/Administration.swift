// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import HTTPTypes
internal import Hummingbird
internal import IdentityPlatform
internal import MDMServer

/// Serves the operations of both engines to administrators, through the socket and over HTTPS. The interfaces differ only in
/// how they identify callers.
struct Administration {
    let identity: Platform
    let management: MDMService

    /// Returns the routes of the socket. Its callers are the server's own user and root.
    func socket() -> Router<AdminContext> {
        let router = Router(context: AdminContext.self)
        router.add(middleware: PeerCheck())
        router.add(middleware: OutageResponse())
        router.add(middleware: BreakGlassNotice { [identity] in try await identity.endOfBreakGlass(for: $0) })
        addOperations(to: router)
        return router
    }

    /// Returns the routes of the HTTPS listener; nil if the server has no name for it. Its callers have access tokens.
    func remote() -> Router<AdminContext>? {
        let names = identity.configuration.names
        guard let authorizer = AdminAuthorizer(identity), let name = names.administration else { return nil }
        let router = Router(context: AdminContext.self)
        router.add(middleware: AdministrationHeaders())
        let host = HostCheck<AdminContext>(name: name, port: names.administrationPort) {
            Response(Self.otherHost(authorizer.metadata.resource))
        }
        router.add(middleware: host)
        router.add(middleware: ClientAddress())
        router.add(middleware: OriginCheck(origin: authorizer.metadata.resource))
        router.get(RouterPath(ProtectedResource.path)) { _, _ in
            Response(status: .ok, json: authorizer.metadata.json)
        }
        router.add(middleware: OutageResponse())
        router.add(middleware: TokenCheck(authorizer: authorizer, rates: CallRates(now: identity.environment.now)))
        router.add(middleware: BreakGlassNotice { [identity] in try await identity.endOfBreakGlass(for: $0) })
        addOperations(to: router)
        return router
    }

    /// The refusal of a request to another name or port than the listener's.
    private static func otherHost(_ own: String) -> OperationRefusal {
        OperationRefusal(
            "admin.host", status: .misdirectedRequest,
            ("The request is for another host or port than the administration's.", "Call \(own)."))
    }

    private func addOperations(to router: Router<AdminContext>) {
        router.add(middleware: PathCheck())
        router.add(middleware: TenantLink(identity: identity, management: management))
        AdminRoutes(
            identity,
            beside: TenantNeighbour(
                holdings: { [management] in try await management.holdings(of: $0) },
                remove: { [management] in try await management.removeTenant($0) }),
            managedDevices: DeviceNeighbour { [management] in try await management.devices(named: $0, tenant: $1) }
        ).addRoutes(to: router)
        management.addAdminRoutes(
            to: router,
            directory: DeviceNeighbour { [identity] in try await identity.devices(named: $0, tenant: $1) })
    }
}
