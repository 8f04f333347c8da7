// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import IdentityPlatform
internal import NIOCore

/// Ends a connection whose request is not read and answered in time after its head: who sends a body byte by byte keeps
/// no place.
struct Deadline: HTTPResponder {
    let next: HostResponder
    let patience: TimeAmount

    func respond(to request: Request, context: IdentityContext) async throws -> Response {
        let channel = context.channel
        let end = channel.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
        defer { end.cancel() }
        return try await next.respond(to: request, context: context)
    }
}
