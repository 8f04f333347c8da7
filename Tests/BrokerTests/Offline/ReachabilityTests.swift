// SPDX-License-Identifier: Apache-2.0
import BrokerSession
import DeviceHTTPS
import Glibc
import Testing

@Suite struct ReachabilityTests {
    @Test func `a server that accepts the connection is reachable, whatever it answers`() async throws {
        let silent = try LoopbackPort()
        #expect(try await Reachability(resolve: [:]).leads(to: "https://127.0.0.1:\(silent.port)"))
        let named = Reachability(resolve: ["login.baton.test": "127.0.0.1"])
        #expect(try await named.leads(to: "https://login.baton.test:\(silent.port)"))
    }

    @Test func `without a listener, the server cannot be reached`() async throws {
        let closed = try LoopbackPort()
        closed.end()
        #expect(try await !Reachability(resolve: [:]).leads(to: "https://127.0.0.1:\(closed.port)"))
    }

    @Test(arguments: ["http://127.0.0.1", "127.0.0.1", "https://127.0.0.1:0", "https://127.0.0.1:port"])
    func `a malformed server address is an error, and does not count as offline`(url: String) async {
        await #expect(throws: HTTPSError(.invalidURL, "")) { try await Reachability(resolve: [:]).leads(to: url) }
    }
}

/// A loopback port that accepts connections and never answers.
private final class LoopbackPort: Sendable {
    let port: UInt16
    private let number: Int32

    struct Refused: Error {}

    init() throws {
        number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (socket, size) = (number, length)
        let outcome = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer -> Int32 in
                guard unsafe bind(socket, pointer, size) == 0, listen(socket, 16) == 0 else { return -1 }
                return unsafe getsockname(socket, pointer, &length)
            }
        }
        guard outcome == 0 else { throw Refused() }
        port = UInt16(bigEndian: address.sin_port)
    }

    func end() { close(number) }
}
