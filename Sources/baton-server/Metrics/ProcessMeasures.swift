// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import Glibc

/// What the kernel reports about this process. A value that cannot be read is NaN.
struct ProcessMeasures {
    let residentBytes: Double
    let processorSeconds: Double
    let openFiles: Double
    let fileLimit: Double

    static func now() -> ProcessMeasures {
        var usage = rusage()
        let isKnown = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0
        let processor = [usage.ru_utime, usage.ru_stime].map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }
        var files = rlimit()
        let hasLimit = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files) == 0
        let entries = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return ProcessMeasures(
            residentBytes: residentPages().map { Double($0) * Double(sysconf(Int32(_SC_PAGESIZE))) } ?? .nan,
            processorSeconds: isKnown ? processor.reduce(0, +) : .nan,
            // The folder's own descriptor is one of the entries.
            openFiles: entries.map { Double($0.count - 1) } ?? .nan,
            fileLimit: hasLimit ? Double(files.rlim_cur) : .nan)
    }

    private static func residentPages() -> Int? {
        guard let data = try? Data(contentsOf: URL(filePath: "/proc/self/statm")) else { return nil }
        let fields = String(decoding: data, as: UTF8.self).split(separator: " ")
        return fields.count > 1 ? Int(fields[1]) : nil
    }
}
