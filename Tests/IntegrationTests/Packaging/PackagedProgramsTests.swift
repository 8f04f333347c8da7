// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@Suite struct PackagedProgramsTests {
    @Test func `the packages contain every program except the one for developers`() throws {
        let manifest = try textOfFile(Repository.root + "/Package.swift")
        let programs = Set(manifest.matches(of: /\.executable\(name: "([a-z-]+)"/).map { String($0.1) })
        let script = try textOfFile(Repository.root + "/scripts/package/debian")
        let lines = script.split(separator: "\n").map { $0.split(separator: " ") }
        let packaged = Set(lines.filter { $0.first == "program" && $0.count == 3 }.map { String($0[1]) })
        #expect(programs.subtracting(packaged) == ["baton-dev"])
        #expect(packaged.isSubset(of: programs))
    }
}
