// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import JSON
import TestSupport
import Testing

extension LiveDevice {
    /// `docs/reference/broker-protocol.md` is enough to write a client from.
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
            let page = try textOfFile(Repository.root + "/docs/reference/broker-protocol.md")
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
                // What the app's reader already knew depends on the earlier tests.
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

        @Test func `every reason that the broker gives is on the page`() throws {
            let page = try textOfFile(Repository.root + "/docs/reference/broker-protocol.md")
            for reason in BrokerError.Reason.meanings.map(\.key.rawValue) {
                #expect(page.contains("`\(reason)`"), "\(reason)")
            }
        }

        /// The rows of the page's table with this head, by the text of their first column.
        private static func table(_ head: String) throws -> [String: String] {
            let page = try textOfFile(Repository.root + "/docs/reference/broker-protocol.md")
            let rest = try #require(page.components(separatedBy: "\n\(head)\n|---|---|\n").dropFirst().first, "\(head)")
            let rows = rest.components(separatedBy: "\n").prefix { $0.hasPrefix("| ") }.map {
                $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            }
            return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
        }

        private static let noHello = """
            its first frame is not a hello, its hello names no version that the broker has, or it sends a second hello
            """

        @Test func `the broker closes a connection in each case of the page, and no other connection`() async throws {
            let live = try await LiveEnvironment.ready()
            let hello = ClientMessage.hello(ClientHello(clientName: "raw", clientVersion: "1"))
            let device = Request(
                id: "1", operation: .getDeviceInfo,
                parameters: ClientRequest(clientID: live.facts.apps[0].clientID).entries, isSilent: true)
            /// The beginning of a frame of this length, with only `count` of its bytes.
            func begin(_ length: UInt32, _ count: Int) -> [UInt8] {
                unsafe withUnsafeBytes(of: length.bigEndian) { unsafe Array($0) } + Array(repeating: 0x20, count: count)
            }
            func greeted() async throws -> RawApp {
                let app = try RawApp(live)
                try await app.greet()
                return app
            }
            let cases: [String: () async throws -> Void] = [
                Self.noHello: {
                    let versions = ClientHello(transports: 2...9, clientName: "raw", clientVersion: "1")
                    for frames: [ClientMessage] in [[.request(device)], [.hello(versions)], [hello, hello]] {
                        let app = try RawApp(live)
                        for frame in frames { try app.send(frame) }
                        #expect(try await app.ends())
                    }
                },
                "a frame is not JSON of the form above, or has a length of more than 1 MiB": {
                    let app = try await greeted()
                    try app.send(frame: "[1]")
                    #expect(try await app.ends())
                    let long = try await greeted()
                    try long.send(raw: begin((1 << 20) + 1, 0))
                    #expect(try await long.ends())
                },
                "it sends half a frame, and the rest does not arrive within five seconds": {
                    let app = try await greeted()
                    let began = ContinuousClock.now
                    try app.send(raw: begin(100, 50))
                    #expect(try await app.ends())
                    #expect(ContinuousClock.now - began > .seconds(4))
                },
                "it does not take a reply within two seconds": {
                    // More replies than the socket holds, and fewer open requests than are allowed.
                    let app = try await greeted()
                    for number in 0..<150 {
                        try app.send(
                            .request(
                                Request(
                                    id: "\(number)", operation: .getDeviceInfo, parameters: device.parameters,
                                    isSilent: true)))
                    }
                    #expect(try await app.ends())
                },
                "more requests or bytes at once than allowed": {
                    let apps = [try await greeted(), try await greeted(), try await greeted()]
                    for app in apps { try app.send(raw: begin(1 << 20, 1000)) }
                    // The broker may read the connections in any order, so any one of them may be the first to end. The
                    // others end later, because each has sent only half a frame.
                    try await withThrowingTaskGroup { group in
                        for app in apps { group.addTask { try await app.ends() } }
                        #expect(try await group.next() == true)
                        var ended = 0
                        for app in apps where try await app.ends(within: .zero) { ended += 1 }
                        #expect(ended == 1)
                    }
                },
                "its process has too many connections, and this one is idle ([limits](configuration.md))": {
                    let first = try await greeted()
                    // This process also has the connections of its apps.
                    var others: [RawApp] = []
                    for _ in 0..<270 { others.append(try await greeted()) }
                    #expect(try await first.ends())
                    #expect(try await others[269].ask(.getDeviceInfo, device.parameters).isSuccess)
                },
            ]
            #expect(try Set(Self.table("| what the client did | what to do |").keys) == Set(cases.keys))
            let other = try await greeted()
            for (name, play) in cases where !name.hasPrefix("its process has too many") {
                try await play()
                #expect(try await other.ask(.getDeviceInfo, device.parameters).isSuccess, "\(name)")
            }
            other.close()
            for (name, play) in cases where name.hasPrefix("its process has too many") { try await play() }
        }

        @Test func `the log says why a connection was closed, also of a client that sends nothing`() async throws {
            let live = try await LiveEnvironment.ready()
            func closes(_ words: String, _ act: (RawApp) async throws -> Void) async throws {
                let before = try live.log(of: .broker).components(separatedBy: words).count - 1
                let app = try RawApp(live)
                try await act(app)
                #expect(try await app.ends())
                try await live.log(of: .broker, says: words, times: before + 1)
            }
            // Each line is logged at most once a second. This case takes seconds, so earlier connections cannot cause
            // the lines of the next cases to be left out.
            try await closes("it did not begin with a hello") { _ in }
            try await closes("it sent a second hello") { app in
                try await app.greet()
                try app.send(.hello(ClientHello(clientName: "raw", clientVersion: "1")))
            }
            try await closes("a frame is not a message of the protocol") { app in
                try await app.greet()
                try app.send(frame: "[1]")
            }
        }

        @Test func `the broker answers each wrong request of the page as the page says`() async throws {
            let live = try await LiveEnvironment.ready()
            let (app, foreign) = (live.facts.apps[0], live.facts.apps[2])
            func client(_ id: String) -> FlatMap { ClientRequest(clientID: id).entries }
            let known = client(app.clientID)
            func token(_ key: Key? = nil, _ value: String = "") -> FlatMap {
                var map = TokenRequest(
                    client: ClientRequest(clientID: app.clientID), redirectURI: app.redirectURI,
                    authority: live.facts.authority, scopes: []
                ).entries
                if let key { map[key] = value }
                return map
            }
            let asks: [String: (operation: BrokerProtocol.Operation, parameters: FlatMap)] = [
                "`msg_protocol_ver` is missing": (.getDeviceInfo, FlatMap()),
                "`msg_protocol_ver` is not `4`": (.getDeviceInfo, FlatMap([Key.protocolVersion: "3"])),
                "a parameter is missing": (.getAccounts, FlatMap([Key.protocolVersion: "4"])),
                "`refresh` or `remove_account_operation` names no account": (.refresh, token()),
                "a Boolean is neither `1` nor `0`": (.refresh, token(.forceRefresh, "yes")),
                "`provider_type` is not `provider_aad_v2`": (.refresh, token(.providerType, "provider_msa")),
                "a parameter is malformed": (
                    .currentAccount, FlatMap([Key.protocolVersion: "4", .clientID: app.clientID, .reader: "R 1"])
                ),
                "the operation is unknown": (BrokerProtocol.Operation(rawValue: "log_in"), known),
                "the client id belongs to no app": (.getAccounts, client("00000000-0000-0000-0000-000000000000")),
                "the client id belongs to another app": (.getAccounts, client(foreign.clientID)),
            ]
            let ignored = "an unknown key in the hello, the request or its parameters"
            var rows = try Self.table("| what is wrong | code |")
            #expect(rows.removeValue(forKey: ignored) == "none, it is ignored")
            #expect(Set(rows.keys) == Set(asks.keys))
            let registry = #"{"apps":[{"id":"\#(foreign.bundleID)","level":"socket"}]}"#
            try await live.with(registry: registry) {
                let raw = try RawApp(live)
                try await raw.greet()
                for (name, code) in rows {
                    let ask = try #require(asks[name])
                    let error = try await raw.refusal(ask.operation, ask.parameters)
                    let words = code.components(separatedBy: ", ")
                    #expect("\(error.code.rawValue)" == words[0], "\(name)")
                    let reason = error.reason.map { "`\($0.rawValue)`" }
                    #expect(words.count < 2 || reason == words[1], "\(name)")
                    #expect(!error.message.isEmpty)
                }
                #expect(try await raw.ask(.getDeviceInfo, known).isSuccess)
                let other = try RawApp(live)
                try other.send(frame: #"{"hello":{"transport_min":1,"transport_max":1,"colour":"red"}}"#)
                guard case .message(.hello) = try await other.answer() else { throw TestProblem("no hello") }
                try other.send(
                    frame:
                        #"{"sso_request_id":"1","sso_request_operation":"get_device_info","is_silent":true,"size":1,"#
                        + #""sso_request_param":{"msg_protocol_ver":"4","shape":"round","list":[1]}}"#)
                guard case .message(.reply(let reply)) = try await other.answer() else { throw TestProblem("no reply") }
                #expect(reply.outcome.isSuccess)
            }
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

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
