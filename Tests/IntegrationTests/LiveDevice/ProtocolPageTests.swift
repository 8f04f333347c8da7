// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import JSON
import TestSupport
import Testing

extension LiveDevice {
    /// `docs/broker-protocol.md` is enough to write a client from.
    @Suite struct ProtocolPageTests {
        /// One frame as the page shows it.
        private struct Frame {
            let text: String
            let value: [String: JSONValue]

            var isHello: Bool { value["hello"] != nil }
            var isOfClient: Bool {
                value["sso_request_operation"] != nil || value["cancel"] != nil
                    || value["hello"]?.object?["transport_min"] != nil
            }
            var operation: String { value["sso_request_operation"]?.string ?? "" }
            var response: [String: JSONValue]? { value["response"]?.object }
        }

        /// The lines of the JSON blocks between two headings.
        private static func frames(from begin: String, to end: String) throws -> [Frame] {
            let page = try textOfFile(Repository.root + "/docs/broker-protocol.md")
            let section = try #require(page.components(separatedBy: begin).last?.components(separatedBy: end).first)
            var (frames, isJSON) = ([Frame](), false)
            for line in section.split(separator: "\n").map(String.init) {
                if line.hasPrefix("```") {
                    isJSON = line == "```json"
                } else if isJSON {
                    frames.append(Frame(text: line, value: try #require(try value(line).object, "\(line)")))
                }
            }
            return frames
        }

        private static func value(_ text: String) throws -> JSONValue {
            try JSONReader.read(Array(text.utf8), limits: Wire.nestedLimits)
        }

        @Test func `each frame on the page is read, and written again as it is on the page`() throws {
            let frames = try Self.frames(from: "\n## Frames and connections\n", to: "\n## The device's state\n")
            #expect(frames.count > 40)
            for frame in frames {
                let bytes = Array(frame.text.utf8)
                let written = try #require(
                    frame.isOfClient
                        ? try? ClientMessage(bytes: bytes).bytes : try? BrokerMessage(bytes: bytes).bytes,
                    "\(frame.text)")
                #expect(try Self.value(String(decoding: written, as: UTF8.self)).object == frame.value, "\(frame.text)")
            }
            let shown = Set(frames.map(\.operation)).subtracting([""])
            let browser = BrokerProtocol.Operation.all.filter {
                [.getSSOCookies, .browserNativeMessage, .browserAddresses, .openPage].contains($0)
            }
            #expect(shown == Set(BrokerProtocol.Operation.all.map(\.rawValue)).subtracting(browser.map(\.rawValue)))
        }

        @Test func `the broker answers each example of the page as the page says`() async throws {
            let live = try await LiveEnvironment.ready()
            var examples = try Self.frames(from: "\n### Each operation by example\n", to: "\n### More")[...]
            let app = live.facts.apps[0]
            let authority = try #require(URL(string: live.facts.authority))
            let tenant = authority.lastPathComponent
            var words = [
                "https://login.example/": "https://\(try #require(authority.host())):\(live.facts.port)/",
                "9a1b2c3d-4e5f-4a6b-8c7d-0e1f2a3b4c5d": tenant, "5c0f3a52-8d0e-4f0a-9d5e-3f6a1b2c3d4e": app.clientID,
                "msauth.com.example.rounds://auth": app.redirectURI,
                "https://graph.example": "https://graph.baton.test:\(live.facts.port)",
                "amara@hospital.example": try live.person("Amara").userName,
            ]
            try live.seat("Amara")
            defer { try? live.leave() }
            var raw = try RawApp(live)
            var common: Set<String> = []
            var epochs = ["7.0f1e2d3c4b5a69788796a5b4c3d2e1f0", "8.a3b4c5d6e7f8091a2b3c4d5e6f708192"][...]
            while let example = examples.popFirst() {
                let sent = words.reduce(example.text) { $0.replacing($1.key, with: $1.value) }
                if example.isHello {
                    raw = try RawApp(live)
                    try raw.send(frame: sent)
                    guard case .message(.hello(let hello)) = try await raw.answer() else {
                        throw TestProblem("no hello")
                    }
                    // The first connection has the epoch in which nobody is signed in.
                    let isNew = !words.values.contains(hello.epoch.description) && !common.isEmpty
                    if isNew, let name = epochs.popFirst() { words[name] = hello.epoch.description }
                    continue
                }
                let expected = try #require(examples.popFirst()?.response)
                try raw.send(frame: sent)
                var answer = try await raw.answer()
                while case .message(.event) = answer { answer = try await raw.answer() }
                guard case .message(.reply(let reply)) = answer, case .success(let response) = reply.outcome else {
                    throw TestProblem("\(example.operation) says \(answer)")
                }
                #expect(reply.requestID == example.value["sso_request_id"]?.string)
                let own = response.entries.filter { !common.contains($0.key) || expected[$0.key] != nil }
                // What the app's reader knew before depends on the tests before.
                let optional: Set<String> =
                    expected["baton_epoch"] != nil && expected["accounts"]?.string != "[]"
                    ? ["baton_previous_home_account_id"] : []
                #expect(Set(own.keys).subtracting(optional) == Set(expected.keys), "\(example.operation)")
                if common.isEmpty {
                    common = Set(expected.keys).subtracting(["operation", "operation_response_type", "success"])
                }
                if let info = response.entries["client_info"], let account = Self.homeAccount(of: info) {
                    words["b1d2c3e4-f5a6-4b7c-8d9e-0f1a2b3c4d5e"] = account
                }
                for (key, value) in expected {
                    let shown = words.reduce(value.string ?? "") { $0.replacing($1.key, with: $1.value) }
                    try Self.compare(own[key] ?? "", with: shown, key, of: example.operation)
                }
            }
            try await live.settle()
        }

        /// The object id in `client_info`.
        private static func homeAccount(of clientInfo: String) -> String? {
            var text = clientInfo.replacing("-", with: "+").replacing("_", with: "/")
            text += String(repeating: "=", count: (4 - text.count % 4) % 4)
            return Data(base64Encoded: text).flatMap { try? value(String(decoding: $0, as: UTF8.self)) }?
                .object?["uid"]?.string
        }

        private static func compare(_ answer: String, with shown: String, _ key: String, of operation: String) throws {
            switch key {
            case "expires_on": #expect(Int(answer) ?? 0 > 1_700_000_000, "\(operation)")
            case "accounts" where shown != "[]":
                let (told, page) = (try value(answer).array?.first?.object, try value(shown).array?.first?.object)
                #expect(Set((told ?? [:]).keys) == Set((page ?? [:]).keys), "\(operation)")
                for member in ["home_account_id", "username", "account_type", "is_sso_account", "realm"] {
                    #expect(told?[member] == page?[member], "\(operation) \(member)")
                }
            case _ where ["broker_version", "name"].contains(key): #expect(!answer.isEmpty)
            case "environment", "primary_registration_metadata_cloud_host":
                #expect(answer.hasPrefix("login."), "\(operation) \(key)")
            default:
                #expect(shown == "…" ? !answer.isEmpty : answer == shown, "\(operation) \(key): \(answer.prefix(80))")
            }
        }
    }
}
