// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import IdentityPlatform
internal import Logging
internal import MDMServer
internal import NIOCore
internal import OAuth
internal import PushProtocol

/// Opens devices' push channels (`PushChannel` in PushProtocol). Only this request proves possession of both the
/// device's directory key and the key of its MDM identity. The request therefore shows that a device in the directory
/// and an enrolled device are the same.
struct PushChannelRoute: Sendable {
    let identity: Platform
    let management: MDMService
    let channels: PushChannels
    let link: MDMLink

    func add(to router: Router<MDMContext>) {
        management.onDevice(router, path: PushChannel.suffix) { device, request, context in
            guard let hello = try await hello(request) else { throw HTTPError(.badRequest) }
            guard channels.hasPlace(for: device) else { return Response(status: .serviceUnavailable) }
            let asked: (asker: DeviceAsker?, status: SessionStatus?)
            do { asked = try await ask(hello, device) } catch let refusal as OAuthError {
                context.logger.info("push channel refused", metadata: ["oauth.number": "\(refusal.number)"])
                return Response(status: .badRequest)
            }
            // Twice as long as the device waits for a message.
            try await context.giveUp(after: channels.keepAlive * (2 * PushChannel.patience))
            return Response(
                status: .ok, headers: [.contentType: PushChannel.mediaType, .cacheControl: "no-store"],
                body: messages(on: PushConnection(device, asker: asked.asker), asked.status, context))
        }
    }

    /// Returns the device's first message; nil if it is malformed or incomplete.
    private func hello(_ request: Request) async throws -> PushHello? {
        do {
            let body = try await request.body.collect(upTo: PushChannel.maximumHello)
            return PushHello(bytes: Array(body.readableBytesView))
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // The client is gone, or the framing of the body is invalid.
            return nil
        }
    }

    /// Identifies the device in the directory, if it has joined. Returns `.deviceUnknown` if the directory has no such
    /// device.
    private func ask(_ hello: PushHello, _ device: EnrolledDeviceID) async throws -> (DeviceAsker?, SessionStatus?) {
        guard let question = hello.question else { return (nil, nil) }
        do {
            let asker = try await identity.sessionStatusRequests.asker(of: question, tenant: device.tenant)
            try await link.join(asker, device)
            return (asker, nil)
        } catch let refusal as OAuthError where refusal.number == OAuthError.unknownDeviceNumber {
            return (nil, .deviceUnknown)
        }
    }

    /// Registers the push channel for changes, and only then reads the current state, so that no change is missed in
    /// between.
    private func messages(
        on connection: PushConnection, _ known: SessionStatus?, _ context: MDMContext
    ) -> ResponseBody {
        ResponseBody { [self] writer in
            if channels.take(connection) {
                defer { channels.release(connection) }
                try await writer.write(Self.bytes(.present(try await present(connection, known))))
                context.logger.debug("push channel opened", metadata: ["device.udid": "\(connection.device.udid)"])
                for await _ in connection.wakes {
                    guard let message = connection.takeMessage() else { break }
                    try await writer.write(Self.bytes(message))
                }
            }
            try await writer.finish(nil)
            // The device's next attempt must use a new connection, which may lead to another node.
            if channels.isClosed { context.closeConnection() }
        }
    }

    private func present(_ connection: PushConnection, _ known: SessionStatus?) async throws -> PushMessage.Present {
        var status = known
        if let asker = connection.asker { status = try await identity.sessionStatusRequests.status(of: asker) }
        return PushMessage.Present(
            status: status?.rawValue, hasCommands: try await management.hasCommands(connection.device),
            keepAlive: max(1, Int(channels.keepAlive.components.seconds)))
    }

    private static func bytes(_ message: PushMessage) -> ByteBuffer { ByteBuffer(bytes: message.bytes) }
}
