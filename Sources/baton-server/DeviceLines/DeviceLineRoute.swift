// SPDX-License-Identifier: Apache-2.0
internal import DeviceLine
internal import HTTPTypes
internal import Hummingbird
internal import IdentityPlatform
internal import Logging
internal import MDMServer
internal import NIOCore
internal import OAuth

/// Opens devices' lines (`Line` of DeviceLine): the one place where a device of the directory and one of device
/// management are known to be the same, since it proves both keys in one request.
struct DeviceLineRoute: Sendable {
    let identity: Platform
    let management: Management
    let lines: DeviceLines
    let link: ManagementLink

    func add(to router: Router<MDMContext>) {
        management.onDevice(router, path: Line.suffix) { device, request, context in
            let body = try await request.body.collect(upTo: Line.maximumHello)
            guard let hello = LineHello(bytes: Array(body.readableBytesView)) else { throw HTTPError(.badRequest) }
            guard lines.hasPlace(for: device) else { return Response(status: .serviceUnavailable) }
            let asked: (asker: DeviceAsker?, standing: SessionStanding?)
            do { asked = try await ask(hello, device) } catch let refusal as OAuthError {
                context.logger.info("line refused", metadata: ["oauth.number": "\(refusal.number)"])
                return Response(status: .badRequest)
            }
            // Twice what the device waits for.
            try await context.giveUp(after: lines.keepAlive * (2 * Line.patience))
            return Response(
                status: .ok, headers: [.contentType: Line.mediaType, .cacheControl: "no-store"],
                body: messages(on: HeldLine(device, asker: asked.asker), asked.standing, context.logger))
        }
    }

    /// Who the device is for the directory, where it has joined one; what the directory says of one that it does not know.
    private func ask(_ hello: LineHello, _ device: ManagedDevice) async throws -> (DeviceAsker?, SessionStanding?) {
        guard let question = hello.question, let tenant = TenantID(rawValue: device.tenant) else { return (nil, nil) }
        do {
            let asker = try await identity.asker(of: question, tenant: tenant)
            try await link.join(asker, device)
            return (asker, nil)
        } catch let refusal as OAuthError where refusal.number == OAuthError.unknownDeviceNumber {
            return (nil, .deviceUnknown)
        }
    }

    /// The line hears of changes before the present state is read: nothing falls between the two.
    private func messages(
        on line: HeldLine, _ known: SessionStanding?, _ logger: Logger
    ) -> ResponseBody {
        ResponseBody { [self] writer in
            if lines.take(line) {
                defer { lines.release(line) }
                try await writer.write(Self.bytes(.present(try await present(line, known))))
                logger.debug("line opened", metadata: ["device.udid": "\(line.device.udid)"])
                for await _ in line.wakes {
                    guard let message = line.takeMessage() else { break }
                    try await writer.write(Self.bytes(message))
                }
            }
            try await writer.finish(nil)
        }
    }

    private func present(_ line: HeldLine, _ known: SessionStanding?) async throws -> LineMessage.Present {
        var standing = known
        if let asker = line.asker { standing = try await identity.standing(of: asker) }
        return LineMessage.Present(
            standing: standing?.rawValue, hasCommands: try await management.hasCommands(line.device),
            keepAlive: max(1, Int(lines.keepAlive.components.seconds)))
    }

    private static func bytes(_ message: LineMessage) -> ByteBuffer { ByteBuffer(bytes: message.bytes) }
}
