// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth

/// `POST /{tenant}/oauth2/v2.0/device/sessionstate` (specific to Baton): a device asks for its own state and for the
/// state of its session.
struct SessionStateEndpoint: Sendable {
    let directory: DirectoryCache
    let requests: SessionStatusRequests

    func addRoutes(to router: Router<IdentityContext>) {
        router.post("/{tenant}/oauth2/v2.0/device/sessionstate", use: respond)
    }

    @Sendable private func respond(_ request: Request, _ context: IdentityContext) async throws -> Response {
        let form = try await request.form(limit: context.maxUploadSize)
        let tenant = try await directory.oneTenant(in: context)
        let asker = try await requests.asker(of: try form.required(.request), tenant: tenant.id)
        var body = MembersWriter()
        body.set(ReplyName.status, try await requests.status(of: asker).rawValue)
        return Response(json: body)
    }
}
