// SPDX-License-Identifier: Apache-2.0
import Glibc
import Processes
import Testing

@Suite struct OpenFileLimitTests {
    @Test func `the limit is raised as far as requested and allowed, and is never lowered`() async {
        await #expect(processExitsWith: .success) {
            let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var limit = rlimit(rlim_cur: 100, rlim_max: 500)
            try #require(unsafe setrlimit(files, &limit) == 0)
            #expect(OpenFileLimit.raise(to: 300) == 300)
            #expect(OpenFileLimit.raise(to: 200) == 300)
            #expect(OpenFileLimit.raise(to: 1000) == 500)
            #expect(OpenFileLimit.raise(to: 1000) == 500)
            #expect(OpenFileLimit.current == 500)
        }
    }
}
