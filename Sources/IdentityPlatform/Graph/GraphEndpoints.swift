// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird

/// The part of Microsoft Graph v1.0 that the platform serves for its own directory. It consists of every
/// ``GraphRoute``, each restricted by its ``GraphAccess``.
struct GraphEndpoints: Sendable {
    let platform: Platform

    func addRoutes(to router: Router<IdentityContext>) {
        for route in GraphRoute.all {
            router.on(RouterPath("/v1.0" + route.path), method: route.method) { request, context in
                try await answer(request, context, by: route)
            }
        }
    }

    private func answer(_ request: Request, _ context: IdentityContext, by route: GraphRoute) async throws -> Response {
        let token = try await platform.accessTokens.check(
            authorization: request.headers[.authorization], for: platform.resources.graph)
        try route.access.judge(token)
        return try await route.answer(
            GraphCall(platform: platform, request: request, context: context, token: token, access: route.access))
    }
}
