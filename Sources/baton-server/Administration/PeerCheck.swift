// SPDX-License-Identifier: Apache-2.0
internal import AdminServer
internal import Glibc
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore

/// Admits only the server's own user and root. The kernel records the user at connect time (`SO_PEERCRED`, unix(7)).
/// The socket's mode alone would not stop a process to which an open descriptor was passed.
struct PeerCheck: RouterMiddleware {
    typealias Context = AdminContext

    func handle(
        _ request: Request, context: AdminContext, next: @concurrent (Request, AdminContext) async throws -> Response
    ) async throws -> Response {
        guard let user = try await peer(of: context.channel), user == geteuid() || user == 0 else {
            context.logger.warning("administration refused to another user")
            return Response(status: .forbidden)
        }
        var context = context
        context.caller = .localOperator(userID: user)
        return try await next(request, context)
    }

    private func peer(of channel: any Channel) async throws -> uid_t? {
        guard let options = channel as? any SocketOptionProvider else { return nil }
        let name = NIOBSDSocket.Option(rawValue: SO_PEERCRED)
        let credentials: Credentials = try await options.unsafeGetSocketOption(level: .socket, name: name).get()
        return credentials.uid
    }

    /// The kernel's `struct ucred`, which Swift's Glibc module hides.
    private struct Credentials: Sendable {
        let pid: pid_t
        let uid: uid_t
        let gid: gid_t
    }
}
