// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

extension LiveEnvironment {
    /// Runs `body` with a broker that reaches the identity platform through a proxy that answers some requests with
    /// lies (Tests/Proxies/lying_proxy.py). At least one lie must be told.
    ///
    /// - Parameters:
    ///   - last: the lies that must be told last, in order.
    ///   - body: is given a function that sets the lies and the pattern of the requests that they answer.
    func lied(
        last: [String] = [],
        _ body: (_ lie: (_ pattern: String, _ lies: [String]) throws -> Void) async throws -> Void
    ) async throws {
        let orders = URL(filePath: path("lies"))
        let said = try await overheard(orders: orders) { _ in
            try await body { pattern, lies in
                try Data(([pattern] + lies).joined(separator: "\n").utf8).write(to: orders, options: .atomic)
            }
        }
        .filter { $0.hasPrefix("lied ") }.map { String($0.dropFirst(5)) }
        #expect(!said.isEmpty && Array(said.suffix(last.count)) == last)
        try FileManager.default.removeItem(at: orders)
    }

    /// Runs `body` with a broker whose requests to the identity platform are recorded by a proxy.
    ///
    /// - Parameter body: takes a function that returns the grant types of all requests with the given correlation id.
    func counted(_ body: (_ grants: (UUID) throws -> [String]) async throws -> Void) async throws {
        _ = try await overheard(orders: URL(filePath: path("no-lies"))) { log in
            try await body { id in
                var grants: [String] = []
                for line in try log().split(separator: "\n") {
                    let words = line.split(separator: " ").map(String.init)
                    guard words.count == 4, words[0] == "passed", words[2].lowercased() == id.uuidString.lowercased()
                    else { continue }
                    grants.append(words[3])
                }
                return grants
            }
        }
    }

    /// Runs `body` with a broker whose requests to the identity platform are recorded by a proxy, and returns the
    /// proxy's log.
    func recorded(_ body: () async throws -> Void) async throws -> String {
        try await overheard(orders: URL(filePath: path("no-lies"))) { _ in try await body() }.joined(separator: "\n")
    }

    /// Runs `body` with Tests/Proxies/lying_proxy.py between the broker and the identity platform. Returns the lines of
    /// the proxy's log.
    private func overheard(
        orders: URL, _ body: (_ log: @escaping () throws -> String) async throws -> Void
    ) async throws -> [String] {
        var lines: [String] = []
        try await configured { _, broker in
            var resolve = broker["resolve"] as? [String: Any] ?? [:]
            for name in ["login.baton.test", "enterpriseregistration.baton.test"] { resolve[name] = "127.0.0.2" }
            broker["resolve"] = resolve
        } _: {
            let liar = try await runAside(
                "Proxies/lying_proxy.py",
                ["\(facts.port)", path("server/ca/server.pem"), path("server/ca/server.key"), orders.path])
            let outcome: Result<Void, any Error>
            do {
                try await body { try liar.log() }
                outcome = .success(())
            } catch { outcome = .failure(error) }
            liar.kill()
            try await liar.waitForExit()
            try outcome.get()
            lines = try liar.log().split(separator: "\n").map(String.init)
        }
        return lines
    }
}
