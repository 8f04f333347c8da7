// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// Temporary changes to the programs' configuration.
extension LiveEnvironment {
    /// A program's configuration.
    func configuration(of program: Program) throws -> [String: Any] {
        let json = try JSONSerialization.jsonObject(
            with: Data(contentsOf: URL(filePath: configurationPath(of: program))))
        return try #require(json as? [String: Any])
    }

    /// Runs `body` with a changed configuration of the server and the broker, and restores it afterwards. Both
    /// programs are restarted each time.
    func configured(
        _ change: (inout [String: Any], inout [String: Any]) -> Void, _ body: () async throws -> Void
    ) async throws {
        let files = [Program.server, .broker].map { URL(filePath: configurationPath(of: $0)) }
        let former = try files.map { try Data(contentsOf: $0) }
        var (server, broker) = (try configuration(of: .server), try configuration(of: .broker))
        change(&server, &broker)
        for (file, content) in zip(files, [server, broker]) {
            try JSONSerialization.data(withJSONObject: content).write(to: file)
        }
        for program in [Program.server, .broker] {
            try await kill(program)
            try await start(program)
        }
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        for (file, content) in zip(files, former) { try content.write(to: file) }
        for program in [Program.server, .broker] {
            try await kill(program)
            try await start(program)
        }
        try outcome.get()
    }
}
