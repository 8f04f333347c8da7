// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerSupervisor
import DeviceKeyStore
import DeviceSettings
import Files
import Foundation
import OAuth
import Receipts
import TestSupport
import Testing

/// The doctor's findings about a device's receipts.
@Suite struct ReceiptFindingTests {
    private func findings(_ state: Directory) -> [CheckResult] { ReceiptFindings(state: state).all }

    /// A device whose chain has three lines. It has not joined a directory, so no certificate vouches for its key.
    private func device(_ scratch: Scratch) throws -> Directory {
        let state = Directory(path: scratch.path("device"))
        let folder = DeviceFiles(root: state).receipts
        for directory in [state, folder] { try directory.make() }
        let key = try ReceiptKey.make(in: DeviceFiles(root: state).keyStore)
        let store = ReceiptStore(directory: folder)
        for number in 1...3 {
            let end = try store.end()
            let receipt = Receipt(
                place: .init(sequence: number, previous: end?.hash), tenant: "t", device: "d",
                key: key.published.thumbprint, ended: "\(number)", next: "\(number + 1)", trigger: nil,
                isAttempt: false,
                times: .init(began: nil, committed: nil, finished: number), items: [], accessTokensEndBy: .none,
                subject: .none)
            try store.append(try receipt.signed(with: key.signing), receipt, after: end)
        }
        return state
    }

    private func chain(_ state: Directory) throws -> URL {
        let folder = DeviceFiles(root: state).receipts.path
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        return URL(filePath: folder + "/" + (try #require(names.first { $0.hasPrefix("chain-") })))
    }

    @Test func `an unchanged chain is in order, and the finding gives the last countersigned receipt`() async throws {
        try await Scratch.with { scratch in
            let found = findings(try device(scratch))
            #expect(found.map(\.code) == ["receipts_keyless", "receipts_intact"])
            #expect(found.map(\.verdict) == [.warning, .good])
            #expect(found.last?.message.contains("1 to 3") == true)
            #expect(found.last?.message.contains("has not countersigned any yet") == true)
        }
    }

    @Test func `a changed line in the middle is found, although the broker does not read it at its start`()
        async throws
    {
        try await Scratch.with { scratch in
            let state = try device(scratch)
            let url = try chain(state)
            var lines = try Data(contentsOf: url).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let text = String(decoding: lines[1], as: UTF8.self)
            lines[1] = Data(text.replacing(#""sequence":2"#, with: #""sequence":7"#).utf8)
            try Data(lines.joined(separator: [UInt8(ascii: "\n")])).write(to: url)
            let found = try #require(findings(state).first)
            #expect(found.code == "receipts_damaged" && found.verdict == .bad && found.remedy != nil)
        }
    }

    @Test func `a chain that was shortened or has lost its end is damaged`() async throws {
        for breaks: (Directory) throws -> Void in [
            { try Data().write(to: chain($0)) },
            { try FileManager.default.removeItem(atPath: DeviceFiles(root: $0).receipts.path + "/end.json") },
        ] {
            try await Scratch.with { scratch in
                let state = try device(scratch)
                try breaks(state)
                #expect(findings(state).map(\.code) == ["receipts_damaged"])
            }
        }
    }

    @Test func `a chain that was moved aside is reported until somebody removes it`() async throws {
        try await Scratch.with { scratch in
            let state = try device(scratch)
            try Directory(path: DeviceFiles(root: state).receipts.path + "/damaged-17").make()
            let found = findings(state)
            #expect(found.map(\.code) == ["receipts_moved_aside", "receipts_keyless", "receipts_intact"])
            #expect(found.first?.message.contains("damaged-17") == true && found.first?.verdict == .warning)
        }
    }

    @Test func `a device without a hand-over has no receipts, and a chain without its key cannot be checked`()
        async throws
    {
        try await Scratch.with { scratch in
            let state = try device(scratch)
            try FileManager.default.removeItem(atPath: DeviceFiles(root: state).keys.path)
            #expect(findings(state).map(\.code) == ["receipts_keyless"])
            try FileManager.default.removeItem(atPath: DeviceFiles(root: state).receipts.path)
            #expect(findings(state).map(\.code) == ["receipts_none"])
        }
    }
}
