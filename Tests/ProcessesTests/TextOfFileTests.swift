// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@Suite struct TextOfFileTests {
    @Test func `a kernel file is read to its end, although one read returns only a page`() throws {
        let map = try textOfFile("/proc/self/maps")
        #expect(map.utf8.count > 4096)
        #expect(map.contains("[stack]"))
    }
}
