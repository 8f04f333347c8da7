// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// How many files this process may have open (`RLIMIT_NOFILE`, getrlimit(2)).
package enum OpenFileLimit {
    /// The limit that holds now.
    package static var current: Int {
        var limit = rlimit()
        // Without an answer the least that POSIX promises.
        guard unsafe getrlimit(resource, &limit) == 0 else { return 20 }
        return Int(clamping: limit.rlim_cur)
    }

    /// Raises the soft limit to `wanted`, or to the hard limit where that is lower; a higher one stays.
    ///
    /// - Returns: the limit that holds now.
    @discardableResult
    package static func raise(to wanted: Int) -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return current }
        let raised = max(limit.rlim_cur, min(limit.rlim_max, rlim_t(clamping: wanted)))
        var next = rlimit(rlim_cur: raised, rlim_max: limit.rlim_max)
        // A limit that cannot be raised is served with; the connections admitted depend on it.
        _ = unsafe setrlimit(resource, &next)
        return current
    }

    private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
}
