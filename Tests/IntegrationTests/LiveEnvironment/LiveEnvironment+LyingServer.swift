// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

extension LiveEnvironment {
    /// Runs `body` with a broker that comes to the identity platform through one that lies as it is told.
    ///
    /// - Parameter last: what must have been said at last.
    func lied(
        last: [String] = [],
        _ body: (_ lie: (_ pattern: String, _ lies: [String]) throws -> Void) async throws -> Void
    ) async throws {
        let orders = URL(filePath: path("lies"))
        try await configured { _, broker in
            var resolve = broker["resolve"] as? [String: Any] ?? [:]
            resolve["login.baton.test"] = "127.0.0.2"
            broker["resolve"] = resolve
        } _: {
            let liar = try await runAside(
                "liar.py", ["\(facts.port)", path("server/ca/server.pem"), path("server/ca/server.key"), orders.path])
            let outcome: Result<Void, any Error>
            do {
                try await body { pattern, lies in
                    try Data(([pattern] + lies).joined(separator: "\n").utf8).write(to: orders, options: .atomic)
                }
                outcome = .success(())
            } catch { outcome = .failure(error) }
            liar.kill()
            try await liar.waitForExit()
            try outcome.get()
            let said = try liar.log().split(separator: "\n").filter { $0.hasPrefix("lied ") }
                .map { String($0.dropFirst(5)) }
            #expect(!said.isEmpty && Array(said.suffix(last.count)) == last)
        }
        try FileManager.default.removeItem(at: orders)
    }
}
