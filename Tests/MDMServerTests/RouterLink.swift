// SPDX-License-Identifier: Apache-2.0
import Authenticator
import FoundationEssentials
import HTTPTypes
import Synchronization

/// Reaches the server's router without a socket, with the certificate of one identity; can lose answers and spoil
/// packages.
final class RouterLink: HTTPSending {
    let world: World
    let certificate: [UInt8]
    let wire: Wire

    /// What a test does to the wire, and what it saw there.
    final class Wire: Sendable {
        /// The bodies that were sent with PUT.
        let sent = Mutex<[[UInt8]]>([])
        /// Lose the answer to the PUT with this number, after the server has acted.
        let lostPut = Mutex<Int?>(nil)
        let spoilsPackages = Mutex(false)
        /// Called before each PUT reaches the server.
        let beforePut = Mutex<@Sendable () -> Void>({})
    }

    init(world: World, certificate: [UInt8], wire: Wire) {
        self.world = world
        self.certificate = certificate
        self.wire = wire
    }

    func send(_ request: HTTPSClient.Request) async throws -> HTTPSClient.Response {
        let body = request.body ?? []
        var number = 0
        if request.method == "PUT" {
            wire.beforePut.withLock { $0 }()
            number = wire.sent.withLock { sent in
                sent.append(body)
                return sent.count
            }
        }
        let isCheckIn = request.headers.contains { $0.value.hasPrefix("application/x-apple-aspen-mdm-checkin") }
        let path = request.url.replacing("https://mdm.baton.test:8444", with: "")
        let answer = try await world.send(
            body, certificate: certificate, isCheckIn: isCheckIn, method: request.method == "PUT" ? .put : .get,
            path: path)
        if wire.lostPut.withLock({ $0 == number }) { throw HTTPSError(.unreachable, "the answer was lost") }
        return answer
    }

    func download(
        _ url: String, limit: Int, into sink: @Sendable ([UInt8]) async throws -> Void
    ) async throws -> Int {
        let answer = try await send(HTTPSClient.Request(method: "GET", url: url))
        guard answer.status == 200 else { return answer.status }
        var body = answer.body
        if wire.spoilsPackages.withLock({ $0 }) { body[body.count / 2] ^= 1 }
        guard body.count <= limit else { throw HTTPSError(.tooLarge, "too large") }
        for start in stride(from: 0, to: body.count, by: 7) {
            try await sink(Array(body[start..<min(start + 7, body.count)]))
        }
        return 200
    }
}
