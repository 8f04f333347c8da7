// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Prevents a crash from writing memory to a disk.
enum CoreDumps {
    /// Sets the limit for core dumps to zero, for this process and its children.
    ///
    /// - Throws: ``ConfigurationError`` if the kernel refuses.
    static func forbid() throws {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) == 0 else {
            throw ConfigurationError(
                file: "", cause: "core dumps cannot be turned off", remedy: "Check the process limits.")
        }
    }
}
