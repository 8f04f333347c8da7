// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import MSAL
import TestSupport
import Testing

/// The closed list of errors, and the page that is generated from it.
@Suite struct ErrorCatalogueTests {
    /// The codes that apps receive without an internal code (ERR-2). All other errors are -50000 with an internal code.
    private static let reaching: Set<Int> = [-50001, -50002, -50003, -50004, -50005, -50142]

    @Test(arguments: Problem.allCases)
    func `ERR-2 ERR-3 every error has codes that apps know, a cause and a remedy`(problem: Problem) {
        let entry = problem.entry
        if entry.code == MSALError.internal.rawValue {
            let known = MSALInternalError(rawValue: entry.internalCode ?? 0) != nil || entry.internalCode == -50006
            #expect(known)
        } else {
            #expect(Self.reaching.contains(entry.code) && entry.internalCode == nil)
        }
        for sentence in [entry.cause, entry.remedy] {
            #expect(sentence.first?.isUppercase == true || sentence.hasPrefix("azure") || sentence.hasPrefix("signout"))
            #expect(sentence.hasSuffix(".") && !sentence.contains("|"))
        }
    }

    @Test func `no two errors have the same cause`() {
        let causes = Problem.allCases.map(\.entry.cause)
        #expect(Set(causes).count == causes.count)
    }

    @Test func `every reason of the broker has a meaning on the page, and all are different`() throws {
        let file = URL(filePath: Repository.root + "/Sources/BrokerProtocol/BrokerError+Reason.swift")
        let declared = try String(contentsOf: file, encoding: .utf8).matches(of: /static let (\w+) = Reason\(/).count
        let meanings = BrokerError.Reason.meanings
        #expect(meanings.count == declared && Set(meanings.map(\.key)).count == declared)
        for (reason, meaning) in meanings {
            #expect(reason.rawValue.wholeMatch(of: /[a-z0-9_]{1,64}/) != nil && meaning.hasSuffix("."))
        }
    }

    @Test func `docs errors md is the list; scripts pages writes it`() throws {
        let file = URL(filePath: Repository.root + "/docs/reference/errors.md")
        if ProcessInfo.processInfo.environment["BATON_WRITE_PAGES"] != nil {
            try Data(ErrorCatalogue.page.utf8).write(to: file)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == ErrorCatalogue.page)
    }

    @Test func `ERR-1 ERR-4 the library makes errors in one place only`() throws {
        let sources = URL(filePath: Repository.root + "/Sources/MSAL")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        let makers = try files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
            .filter { try String(contentsOf: $0, encoding: .utf8).contains("NSError(") }
        #expect(makers.map(\.lastPathComponent) == ["Fault.swift"])
    }
}
