// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials

/// A database on which the tests of an engine run.
package enum EngineDatabase: String, Sendable {
    case sqlite, postgresql

    private static let variable = "BATON_TEST_DATABASE"

    /// The database of this run, which the environment names; SQLite if it names none. `scripts/tests` runs the tests
    /// of the engines once on each database.
    package static let chosen: EngineDatabase = {
        guard let name = ProcessInfo.processInfo.environment[variable] else { return .sqlite }
        guard let database = EngineDatabase(rawValue: name) else {
            fatalError("\(variable) names no database: \(name)")
        }
        return database
    }()
}
