// SPDX-License-Identifier: Apache-2.0
internal import CPostgreSQL
internal import Glibc
internal import Storage

/// The environment variables that libpq reads. libpq would use them for every setting that the configuration leaves
/// out, including a password.
enum EnvironmentVariables {
    /// Returns the name of such a variable that is set; nil if none is set.
    static var foreign: String? {
        guard let first = unsafe PQconndefaults() else { return nil }
        defer { unsafe PQconninfoFree(first) }
        var option = unsafe first
        while let _ = unsafe option.pointee.keyword {
            if let name = unsafe option.pointee.envvar, unsafe getenv(name) != nil {
                return unsafe String(cString: name)
            }
            unsafe option += 1
        }
        return nil
    }

    static func refusal(of name: String) -> Failure {
        Failure(
            .unavailable, as: .failed,
            "unset \(name): the connection to PostgreSQL is determined by the configuration only"
        )
    }
}
