// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerSupervisor
import Files
import SessionIPC
import TestSupport
import Testing

/// The doctor's findings about offline sign-in.
@Suite struct OfflineFindingTests {
    private func codes(files: Int, _ count: LeaseCount?) async throws -> [String] {
        try await Scratch.with { scratch in
            let folder = Directory(path: scratch.path("offline"))
            if files > 0 {
                try folder.make()
                try folder.file("time").replace(with: [1])
            }
            for number in 0..<files { try folder.file("\(number).lease").replace(with: [1]) }
            let found = OfflineFindings(folder: folder, count: count).all
            #expect(found.allSatisfy { $0.topic == .offline })
            return found.map(\.code)
        }
    }

    private func count(_ leases: Int, pins: Int = 0, inFiles: Int = 0, mayBegin: Bool = true) -> LeaseCount {
        LeaseCount(leases: leases, pins: pins, pinsInFiles: inFiles, mayBegin: mayBegin)
    }

    @Test func `the finding gives the number of leases, and their problems`() async throws {
        #expect(try await codes(files: 0, nil) == ["offline_none"])
        #expect(try await codes(files: 2, count(2, pins: 1)) == ["offline_leases"])
        #expect(try await codes(files: 2, count(2, mayBegin: false)) == ["offline_clock_set_back"])
        let inFiles = try await codes(files: 2, count(2, pins: 2, inFiles: 1))
        #expect(inFiles == ["offline_leases", "offline_pin_without_tpm"])
    }

    @Test func `leases that the session process has not read are not reported as good`() async throws {
        #expect(try await codes(files: 2, nil) == ["offline_unread"])
        #expect(try await codes(files: 2, count(1)) == ["offline_unread"])
    }
}
