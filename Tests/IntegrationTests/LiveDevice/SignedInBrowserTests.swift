// SPDX-License-Identifier: Apache-2.0
import BrowserExtension
import Files
import Foundation
import Glibc
import MSAL
import Processes
import TestSupport
import Testing

extension LiveDevice {
    /// The extension and its native messaging host, in real browsers.
    @Suite struct SignedInBrowserTests {
        private static let client = "9a1e6b52-0d3c-4c7b-8f1d-5e2a7c4b9d10"

        /// What the sites have seen (Tests/Person/signed_in.py).
        private struct Seen: Decodable {
            struct Step: Decodable, Equatable {
                let headers: [String]
                let answer: String
            }

            let ready: Bool
            let nobody, frame, redirect: Step?
            let who: String?
            let milliseconds: Int?
        }

        @Test(arguments: ["chromium", "firefox"])
        func `a relying party's page opens signed in, and no frame, other host or signed-out browser gets a credential`(
            browser: String
        ) async throws {
            let live = try await LiveEnvironment.ready()
            let seen = try await visit(browser, live)
            #expect(seen.ready)
            #expect(seen.nobody == Seen.Step(headers: [], answer: "login_required"))
            #expect(seen.frame == Seen.Step(headers: [], answer: "login_required"))
            #expect(seen.redirect == Seen.Step(headers: [], answer: "code"))
            #expect(seen.who == (try live.person("Amara").userName))
        }

        private func visit(_ browser: String, _ live: LiveEnvironment) async throws -> Seen {
            let folder = live.path("signed-in-\(browser)")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            let url = try #require(URL(string: live.facts.authority))
            let login = "https://\(try #require(url.host())):\(live.facts.port)"
            let package = try BrowserExtensionPackage.make(
                in: Directory(path: folder + "/extension"),
                .init(
                    version: "0.1.0", host: try RunningProgram.built("baton-browser-host"),
                    brokerSocket: live.path("run/broker.sock"), addresses: [login]))
            let isFirefox = browser == "firefox"
            let ports = try Self.freePorts()
            try await live.administer(
                "client", "add", "--name", browser, "--id", Self.client(browser),
                "--redirect-uri", "http://localhost:\(ports[0])/cb",
                "--redirect-uri", "https://other.baton.test:\(ports[1])/cb")
            let (go, result) = (folder + "/go", folder + "/result")
            guard unsafe mkfifo(go, 0o600) == 0 else { throw TestProblem("mkfifo: error \(errno)") }
            let wanted: [String: Any] = [
                "browser": browser, "folder": folder, "login": login, "tenant": url.lastPathComponent,
                "client": Self.client(browser), "root": live.path("server/ca/root.pem"), "go": go,
                "ready": package.readySocket, "result": result, "ports": ports,
                "id": isFirefox ? package.firefox.id : package.chromium.id,
                "source": isFirefox ? package.firefox.installURL : package.chromium.updateURL,
                "host": isFirefox ? package.firefox.hostManifest : package.chromium.hostManifest,
            ]
            let file = folder + "/wanted.json"
            try JSONSerialization.data(withJSONObject: wanted).write(to: URL(filePath: file))
            let person = try live.person("Amara")
            let typing = folder + "/typing"
            guard unsafe mkfifo(typing, 0o600) == 0 else { throw TestProblem("mkfifo: error \(errno)") }
            let namespace = ["/usr/bin/unshare", "--mount"] + (getuid() == 0 ? [] : ["--map-root-user"])
            try live.seat([
                "username": person.userName, "password": person.password, "waitsFor": typing,
                "starts": namespace + [
                    Repository.root + "/.venv-foreign/bin/python3", Repository.root + "/Tests/Person/signed_in.py",
                    file,
                ],
            ])
            async let signedIn = live.app(1).signIn()
            // The browser has visited the first page while nobody was signed in, and waits on the second page.
            try await FolderWatch(folder).until("visited") {
                ["/visited", "/result"].contains { FileManager.default.fileExists(atPath: folder + $0) }
            }
            try "".write(toFile: typing, atomically: false, encoding: .utf8)
            let account = try await signedIn.account
            try live.leave()
            // If the browser did not get this far, nobody reads the FIFO.
            let opened = unsafe open(go, O_WRONLY | O_NONBLOCK)
            if opened >= 0 { close(opened) }
            try await FolderWatch(folder).until("seen") { FileManager.default.fileExists(atPath: result) }
            let seen = try JSONDecoder().decode(Seen.self, from: Data(contentsOf: URL(filePath: result)))
            try await live.app(1).signOut(account)
            return seen
        }

        /// Two ports that nobody listens on.
        private static func freePorts() throws -> [UInt16] {
            let middle: UInt16 = 26_000
            return [
                try #require(FreePort.tcp(in: FreePort.ofTests.lowerBound...middle)),
                try #require(FreePort.tcp(in: middle + 1...FreePort.ofTests.upperBound)),
            ]
        }

        private static func client(_ browser: String) -> String {
            browser == "chromium" ? client : "9a1e6b52-0d3c-4c7b-8f1d-5e2a7c4b9d11"
        }
    }
}
