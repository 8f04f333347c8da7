// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// The maximum number of open files of this process (`RLIMIT_NOFILE`, getrlimit(2)).
package enum OpenFileLimit {
    /// The current limit.
    package static var current: Int {
        var limit = rlimit()
        // If the call fails, assume the minimum that POSIX guarantees.
        guard unsafe getrlimit(resource, &limit) == 0 else { return 20 }
        return Int(clamping: limit.rlim_cur)
    }

    /// Raises the soft limit to `wanted`, or to the hard limit if that is lower. Never lowers the soft limit.
    ///
    /// - Returns: the current limit.
    @discardableResult
    package static func raise(to wanted: Int) -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return current }
        let raised = max(limit.rlim_cur, min(limit.rlim_max, rlim_t(clamping: wanted)))
        var next = rlimit(rlim_cur: raised, rlim_max: limit.rlim_max)
        // If the limit cannot be raised, the process keeps the current limit; the number of admitted connections
        // depends on it.
        _ = unsafe setrlimit(resource, &next)
        return current
    }

    private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
}
