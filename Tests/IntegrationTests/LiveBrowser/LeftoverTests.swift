// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Leftovers
import MSAL
import TestSupport
import Testing

extension LiveBrowser {
    /// Nothing of a worker remains except what the list of leftovers (docs/reference/leftovers.md) contains.
    @Suite struct LeftoverTests {
        @Test func `after a sign-out the state folder holds what the page lists, and nothing of the worker`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            let token = try await app.token(of: amara).accessToken
            // While the worker is signed in, there are files that the page does not list, and the check finds them.
            #expect(try !live.strays().isEmpty)
            try await app.signOut(amara)
            try await live.settle()
            try await live.serverHearsOfEveryEnd()
            // The broker is stopped because it still anchors receipts and renames drafts.
            try live.send(SIGSTOP, to: .broker)
            defer { try? live.send(SIGCONT, to: .broker) }
            #expect(try live.strays() == [])

            let receipt = try await live.shownReceipt()
            let items = receipt.items.map { $0.name.hasPrefix("app:") ? "app:<application id>" : $0.name }
            for entry in Leftover.all where entry.fate != .kept {
                let isAccountedFor = (receipt.unobserved + receipt.left).contains(entry.name)
                #expect(isAccountedFor || items.contains(entry.item ?? ""), "\(entry.name)")
            }

            let person = try live.person("Amara")
            let canaries = [person.userName, person.givenName, person.password, token]
            #expect(try live.files(in: "device").count > 5)
            // The MDM's packages are left out. Here they are programs that contain the demonstration's people.
            for name in try live.files(in: "device") where !name.hasPrefix("management/apps/") {
                guard let bytes = try live.content(of: "device/" + name) else { continue }
                for canary in canaries {
                    for form in Self.forms(canary) { #expect(bytes.range(of: form) == nil, "\(name)") }
                }
            }
            // As a control, the same search finds the user name in `environment.json`.
            let known = try Data(contentsOf: URL(filePath: live.path("environment.json")))
            #expect(known.range(of: Data(person.userName.utf8)) != nil)
        }

        /// A text in UTF-8, in UTF-16, in base64 at three offsets, and with its @ escaped.
        static func forms(_ text: String) -> [Data] {
            let plain = Data(text.utf8)
            let base64 = (0..<3).map { offset -> Data in
                let encoded = (Data(repeating: 0, count: offset) + plain).base64EncodedString()
                // Characters that also encode bits of neighbouring bytes are left out.
                return Data(encoded.dropFirst(offset == 0 ? 0 : offset + 1).dropLast(4).utf8)
            }
            return [plain, Data(text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })]
                + base64.filter { $0.count > 5 } + [Data(text.replacing("@", with: "%40").utf8)]
        }
    }
}

extension LiveEnvironment {
    /// Returns every file under a folder of the environment.
    func files(in folder: String) throws -> [String] {
        let root = path(folder)
        return try FileManager.default.subpathsOfDirectory(atPath: root).filter { name in
            do {
                return try FileManager.default.attributesOfItem(atPath: root + "/" + name)[.type] as? FileAttributeType
                    != .typeDirectory
            } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile { return false }
        }.sorted()
    }

    /// The content of a file of the environment; nil if the file has been removed since it was listed.
    fileprivate func content(of file: String) throws -> Data? {
        do { return try Data(contentsOf: URL(filePath: path(file))) } catch CocoaError.fileReadNoSuchFile { return nil }
    }

    /// Files of the device's state that the list of leftovers does not contain. The draft of a listed file counts as
    /// listed.
    func strays() throws -> [String] {
        let kept = Leftover.state.flatMap(\.places)
        return try files(in: "device").filter { file in
            let name = file.hasSuffix(".new") ? String(file.dropLast(4)) : file
            return !kept.contains { $0.matches(name) }
        }
    }
}
