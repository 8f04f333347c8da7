// SPDX-License-Identifier: Apache-2.0
import DeviceHTTPS
import FoundationEssentials
import HTTPTypes
import MDMProtocol
import Processes
import Synchronization

/// A request that reached the server, and its answer.
struct WireExchange: Sendable {
    let body: [UInt8]
    let isCheckIn: Bool
    let path: String
    let answer: HTTPSClient.Response
}

/// Calls the server's router without a socket, with the certificate of one identity. It can lose answers and
/// corrupt packages.
final class RouterLink: HTTPSending {
    let fixture: TestMDM
    let certificate: [UInt8]
    let wire: Wire

    /// The faults that a test causes, and a record of the traffic.
    final class Wire: Sendable {
        /// The bodies that were sent with PUT.
        let sent = Mutex<[[UInt8]]>([])
        /// The number of the PUT whose answer is lost after the server has acted.
        let lostPut = Mutex<Int?>(nil)
        let spoilsPackages = Mutex(false)
        /// The fault of package downloads, if any.
        let packageFault = Mutex<PackageFault?>(nil)
        /// Settled when a download with the fault ``PackageFault/stalls`` has begun.
        let stalled = Promise<Void>()
        /// Rewrites the text of the profile in an answer.
        let rewrite = Mutex<@Sendable (String) -> String>({ $0 })
        /// The number of PUTs that reach the server. Later PUTs get no answer.
        let stopsAfter = Mutex<Int?>(nil)
        /// Settled when such a later PUT has begun.
        let stopped = Promise<Void>()
        /// The certificates that were presented, one per request.
        let certificates = Mutex<[[UInt8]]>([])
        /// All exchanges, in order.
        let exchanges = Mutex<[WireExchange]>([])
        /// Called before each PUT reaches the server.
        let beforePut = Mutex<@Sendable () -> Void>({})
    }

    enum PackageFault: Sendable {
        /// The connection breaks half-way.
        case breaks
        /// The download never ends.
        case stalls
        case status(Int)
    }

    init(fixture: TestMDM, certificate: [UInt8], wire: Wire) {
        self.fixture = fixture
        self.certificate = certificate
        self.wire = wire
    }

    func send(_ request: HTTPSClient.Request) async throws -> HTTPSClient.Response {
        let body = request.body ?? []
        var number = 0
        wire.certificates.withLock { $0.append(certificate) }
        if request.method == "PUT" {
            wire.beforePut.withLock { $0 }()
            number = wire.sent.withLock { sent in
                sent.append(body)
                return sent.count
            }
        }
        if request.method == "PUT", let last = wire.stopsAfter.withLock({ $0 }), number > last {
            wire.stopped.settle(.success(()))
            for await _ in AsyncStream<Void>.makeStream().stream {}
            throw HTTPSError(.unreachable, "cancelled")
        }
        let isCheckIn = request.headers.contains { $0.value.hasPrefix("application/x-apple-aspen-mdm-checkin") }
        let path = request.url.replacing("https://mdm.baton.test:8444", with: "")
        let answer = try await fixture.send(
            body, certificate: certificate, isCheckIn: isCheckIn, method: request.method == "PUT" ? .put : .get,
            path: path)
        wire.exchanges.withLock {
            $0.append(WireExchange(body: body, isCheckIn: isCheckIn, path: path, answer: answer))
        }
        if wire.lostPut.withLock({ $0 == number }) { throw HTTPSError(.unreachable, "the answer was lost") }
        return rewritten(answer)
    }

    /// Returns the answer. If it is a command that installs a profile, the profile is rewritten.
    private func rewritten(_ answer: HTTPSClient.Response) -> HTTPSClient.Response {
        let rewrite = wire.rewrite.withLock { $0 }
        guard let request = try? CommandRequest(propertyList: PropertyList(xml: answer.body)),
            case .installProfile(let profile) = request.command
        else { return answer }
        let changed = Array(rewrite(String(decoding: profile, as: UTF8.self)).utf8)
        let command = CommandRequest(uuid: request.uuid, command: .installProfile(changed))
        guard let body = try? command.propertyList.xml() else { return answer }
        return HTTPSClient.Response(status: answer.status, headers: answer.headers, body: body)
    }

    func download(
        _ url: String, limit: Int, into sink: @Sendable ([UInt8]) async throws -> Void
    ) async throws -> Int {
        let answer = try await send(HTTPSClient.Request(method: "GET", url: url))
        guard answer.status == 200 else { return answer.status }
        switch wire.packageFault.withLock({ $0 }) {
        case .status(let status): return status
        case .breaks:
            try await sink(Array(answer.body.prefix(3)))
            throw HTTPSError(.unreachable, "the connection broke")
        case .stalls:
            try await sink(Array(answer.body.prefix(3)))
            wire.stalled.settle(.success(()))
            for await _ in AsyncStream<Void>.makeStream().stream {}
            throw HTTPSError(.unreachable, "cancelled")
        case nil: break
        }
        var body = answer.body
        if wire.spoilsPackages.withLock({ $0 }) { body[body.count / 2] ^= 1 }
        guard body.count <= limit else { throw HTTPSError(.tooLarge, "too large") }
        for start in stride(from: 0, to: body.count, by: 7) {
            try await sink(Array(body[start..<min(start + 7, body.count)]))
        }
        return 200
    }
}
