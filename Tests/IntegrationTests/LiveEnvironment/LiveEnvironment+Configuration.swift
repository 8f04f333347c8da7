// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// Programs that are configured otherwise for a while.
extension LiveEnvironment {
    /// What a program is configured by.
    func configuration(of program: Program) throws -> [String: Any] {
        let json = try JSONSerialization.jsonObject(
            with: Data(contentsOf: URL(filePath: configurationPath(of: program))))
        return try #require(json as? [String: Any])
    }

    /// Runs `body` with server and broker configured otherwise, each started anew before and afterwards.
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
