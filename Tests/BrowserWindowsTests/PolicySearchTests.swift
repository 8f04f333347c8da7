// SPDX-License-Identifier: Apache-2.0
import BrowserPolicies
import BrowserWindows
import Foundation
import TestSupport
import Testing
import UnixSocket

/// The search for those policies of Baton that an installed browser knows.
@Suite struct PolicySearchTests {
    private static let installed: [(PolicyPlace, PolicyNames)] = [
        (.program(file: "/usr/lib/chromium/chromium"), ChromiumPolicies.names), (.firefox, FirefoxPolicies.names),
    ]

    @Test(arguments: installed)
    func `the installed browsers know every policy, and none that does not exist`(
        _ place: PolicyPlace, _ names: PolicyNames
    ) throws {
        #expect(names.needed.count > 20)
        let search = try PolicySearch(for: names.all.union(["PasswordManagerEnabeld"]), in: place)
        #expect(search.finish() == .known(names: names.all))
        // The finding can be read a second time.
        #expect(search.finish() == .known(names: names.all))
    }

    @Test func `a name counts if it ends a string, as a linker shares strings`() async throws {
        try await Scratch.with { scratch in
            try scratch.write("\0xA1\0B2x\0C3\nD4\0E5", to: "program")
            let search = try PolicySearch(
                for: ["A1", "B2", "C3", "D4", "E5", "F6"], in: .program(file: scratch.path("program")))
            #expect(search.finish() == .known(names: ["A1", "D4", "E5"]))
            try scratch.write("{ \"A1\": {}, \"B2\": 1, 'C3': {}, xD4: {} }", to: "schema")
            let schema = PolicyPlace.schema(file: scratch.path("schema"))
            #expect(try PolicySearch(for: ["A1", "B2", "C3", "D4"], in: schema).finish() == .known(names: ["A1"]))
        }
    }

    @Test(arguments: ["/bin/sh", "/nowhere", "/"])
    func `what a program knows that names no policy cannot be found out, so it is not refused`(file: String) throws {
        let place = PolicyPlace.program(file: file)
        let finding = try PolicySearch(for: ChromiumPolicies.names.needed, in: place).finish()
        #expect(finding == .unknown)
        #expect(PolicyFailure(finding, needed: ChromiumPolicies.names.needed, in: place) == nil)
    }

    @Test func `a browser is examined again once its file has changed`() async throws {
        try await Scratch.with { scratch in
            let (policies, needed, file) = (InstalledPolicies(), Set(["A1", "B2"]), scratch.path("program"))
            try scratch.write("A1\0", to: "program")
            await #expect { try await policies.check(needed, in: .program(file: file)) } throws: { error in
                (error as? PolicyFailure)?.policies == ["B2"] && "\(error)".contains(file)
            }
            try FileManager.default.removeItem(atPath: file)
            try scratch.write("A1\0B2\0", to: "program")
            try await policies.check(needed, in: .program(file: file))
        }
    }

    @Test func `bubblewrap's words are repeated as far as they are its own`() throws {
        let words = try BubblewrapWords()
        let lines = """
            bwrap: Can't find source path /home/amara/canary: No such file or directory
            bwrap: canary
            something else
            bwrap: execvp /usr/lib/chromium/chromium: Permission denied
            bwrap: setting up uid map: Permission denied
            """
        let (descriptor, _) = words.descriptor
        #expect(words.text == nil)
        let handle = descriptor.withNumber { FileHandle(fileDescriptor: $0, closeOnDealloc: false) }
        try handle.write(contentsOf: Data(lines.utf8))
        #expect(
            words.text
                == "Can't find source path (No such file or directory); another message; execvp "
                + "/usr/lib/chromium/chromium (Permission denied)")
        // The file for bubblewrap's messages cannot grow.
        #expect(throws: (any Error).self) { try handle.write(contentsOf: Data(count: 8192)) }
    }
}
