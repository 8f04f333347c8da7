// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Glibc

/// Why a command did not do what it was asked, in the three parts that every error of Baton has.
struct CommandFailure: Error, Codable, CustomStringConvertible {
    /// Stable, for programs.
    let code: String
    let message: String
    let remedy: String
    var isUnreachable = false

    private enum CodingKeys: String, CodingKey { case code, message, remedy }

    var description: String { "\(message) [\(code)]\n  \(remedy)" }

    /// The exit code that the command ends with.
    var exitCode: ExitCode { isUnreachable ? ExitCode(EX_UNAVAILABLE) : .failure }
}
