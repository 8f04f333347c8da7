// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@Suite struct TextOfFileTests {
    @Test func `a file of the kernel is read to its end, though one read gives a page of it`() throws {
        let map = try textOfFile("/proc/self/maps")
        #expect(map.utf8.count > 4096)
        #expect(map.contains("[stack]"))
    }
}
