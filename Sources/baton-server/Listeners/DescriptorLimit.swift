// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// How many files and sockets the process may have open at once.
enum DescriptorLimit {
    /// Raises the limit as far as the system lets this user, and returns it.
    static func raise() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return fallback }
        let wanted = min(limit.rlim_max, ceiling)
        if limit.rlim_cur < wanted {
            var raised = limit
            raised.rlim_cur = wanted
            if unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
        }
        return Int(min(limit.rlim_cur, ceiling))
    }

    /// How many connections each of the two TLS listeners may hold, so that databases, sockets and the administrator
    /// always find a descriptor.
    static func connections(of limit: Int) -> Int { max(16, (limit - 128) / 2) }

    private static let fallback = 1024
    private static let ceiling: rlim_t = 65536
}
