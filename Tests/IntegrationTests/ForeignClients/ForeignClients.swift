// SPDX-License-Identifier: Apache-2.0
import Foundation
import Processes
import Redaction
import Synchronization
import TestSupport
import Testing
import UnixSocket

/// A real server that also answers to the host names that foreign clients have built in, and a proxy that connects
/// those names to the server. The proxy refuses every other name, so no client reaches another machine.
///
/// The scripts in `Tests/ForeignClients` run the clients, and read their settings from a file of facts. Each script is
/// loaded once, and each of its cases is a process of its own.
final class ForeignClients: Sendable {
    let server: ServerProcess
    /// The organisation's id.
    let tenant: String
    /// The port of the HTTPS interface of administration.
    let administrationPort: Int
    private let state: Mutex<State>
    private let proxy: RunningProgram
    private let proxyPort: UInt16
    private let scratch: Scratch

    private struct State {
        /// The facts for the scripts, by name; see `baton_tests.py`.
        var facts: [String: String]
        /// The sockets of the loaded scripts, by file name.
        var scripts: [String: String] = [:]
    }

    static let domain = "contoso.test"
    static let password = "correct horse battery"
    /// A public client with a loopback redirect URI, which msal requires.
    static let client = "6c5f1a52-0000-4000-8000-0000000000aa"
    /// A web application that authenticates with a secret.
    static let webClient = "6c5f1a52-0000-4000-8000-0000000000bb"

    private static let login = ["login.test", "login.microsoftonline.com", "login.windows.net"]
    private static let registration = ["drs.test", "enterpriseregistration.windows.net"]
    private static let graph = ["graph.test", "graph.microsoft.com"]

    /// Starts the server and the proxy. Creates an organisation with Amara, Bo, a public client, a confidential client,
    /// and the clients whose ids are built into foreign clients.
    ///
    /// - Parameter settings: additional keys of the server's configuration file.
    init(_ settings: [String: any Sendable] = [:], in scratch: Scratch) async throws {
        self.scratch = scratch
        let names: [String: any Sendable] = [
            "login": Self.login, "deviceRegistration": Self.registration, "graph": Self.graph, "mdm": "mdm.test",
            "administration": "admin.test",
        ]
        administrationPort = Int(try #require(FreePort.tcp(in: FreePort.ofTests)))
        let keys: [String: any Sendable] = ["names": names, "administrationPort": administrationPort]
        server = try ServerProcess(keys.merging(settings) { $1 }, in: scratch)
        try await server.start()
        let port = server.port
        let portFile = scratch.path("proxy-port")
        proxy = try await RunningProgram.start(
            Self.python,
            [Self.script("proxy.py"), "--port-file", portFile, "--target", "\(port)"]
                + Self.login + Self.registration + Self.graph + ["admin.test=\(administrationPort)"],
            log: "proxy.log", in: scratch)
        proxyPort = try #require(UInt16(try textOfFile(portFile)))
        tenant = try server.create("tenants", ["displayName": "Contoso", "domain": Self.domain])
        for (name, shown) in [("amara", "Amara Okafor"), ("bo", "Bo")] {
            _ = try server.create(
                "tenants/-/users",
                [
                    "userPrincipalName": "\(name)@\(Self.domain)", "displayName": shown, "password": Self.password,
                ])
        }
        let addresses = [
            "http://localhost", "https://app.test/cb", "http://localhost/ward/callback", "http://localhost/bye",
        ]
        for (id, isConfidential) in [(Self.client, false), (Self.webClient, true)] {
            _ = try server.create(
                "tenants/-/clients",
                [
                    "id": id, "displayName": "Ward app", "redirectURIs": addresses, "isConfidential": isConfidential,
                ])
        }
        let pack = try server.administer("POST", "/identity/tenants/-/compatibility-clients")
        guard pack.status < 300 else { throw TestProblem("compatibility clients: \(pack.status)") }
        let secret = try server.create("tenants/-/clients/\(Self.webClient)/secrets", nil, member: "secret")
        let facts = [
            "tenant": tenant, "domain": Self.domain, "password": Self.password, "client": Self.client,
            "web_client": Self.webClient, "secret": secret,
            "login": "https://login.test:\(port)", "graph": "https://graph.test:\(port)",
            "administration": "https://admin.test:\(administrationPort)", "registration": "https://drs.test:\(port)",
            "mdm": "https://mdm.test:\(server.mdmPort)",
            "root": server.state + "/ca/root.pem",
            "proxy": "http://127.0.0.1:\(proxyPort)", "folder": scratch.path, "admin": server.state + "/admin.sock",
        ]
        state = Mutex(State(facts: facts))
    }

    /// Adds a fact for the scripts.
    func add(_ fact: String, _ value: String) { state.withLock { $0.facts[fact] = value } }

    /// The interpreter of the environment that `scripts/setup` makes.
    static let python = Repository.root + "/.venv-foreign/bin/python"

    /// The path of a script.
    static func script(_ name: String) -> String { Repository.root + "/Tests/ForeignClients/" + name }

    /// The environment of a client: it uses the proxy, and trusts only the server's root certificate.
    var environment: [String: String] {
        let root = server.state + "/ca/root.pem"
        let proxy = "http://127.0.0.1:\(proxyPort)"
        var variables = [
            "BATON_FACTS": scratch.path("facts.json"), "HOME": scratch.path, "PYTHONDONTWRITEBYTECODE": "1",
        ]
        for name in ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"] { variables[name] = root }
        for name in ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"] {
            variables[name] = proxy
            variables[name.lowercased()] = proxy
        }
        for name in ["NO_PROXY", "no_proxy", "SSL_CERT_DIR"] { variables[name] = "" }
        return variables
    }

    /// Runs a case of a script to its end. The case must succeed.
    func check(_ script: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try writeFacts()
        let socket = try await load(script)
        let log = scratch.path("\(name)-\(UInt32.random(in: 0...UInt32.max)).log")
        let request = try JSONEncoder().encode(["case": name, "log": log])
        let code: String = try await blocking {
            let connection = try FrameConnection.connect(to: socket, maximumFrame: 1 << 16)
            try connection.write(Array(request))
            let reply = try connection.read().body
            return unsafe reply.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        }
        let text = try textOfFile(log)
        #expect(code == "0", "\(text.suffix(4000))", sourceLocation: sourceLocation)
        #expect(text.hasSuffix("case held: \(name)\n"), "\(text.suffix(4000))", sourceLocation: sourceLocation)
    }

    /// Starts the process that runs the cases of a script, unless it already runs.
    ///
    /// - Returns: the path of its socket.
    private func load(_ script: String) async throws -> String {
        if let socket = state.withLock({ $0.scripts[script] }) { return socket }
        let socket = scratch.path(script + ".sock")
        _ = try await start([Self.python, Self.script(script), socket], awaitsReady: true)
        state.withLock { $0.scripts[script] = socket }
        return socket
    }

    private func writeFacts() throws {
        let facts = state.withLock { $0.facts }
        try scratch.write(
            String(decoding: try JSONSerialization.data(withJSONObject: facts), as: UTF8.self), to: "facts.json")
    }

    /// Runs a command (path and arguments) as a foreign client. Returns its exit code and output.
    func run(_ command: [String], environment: [String: String] = [:]) async throws -> (code: Int32, text: String) {
        try writeFacts()
        let program = try await start(command, environment: environment, awaitsReady: false)
        return (try await program.waitForExit(), try program.log())
    }

    /// Starts a command as a foreign client.
    func start(
        _ command: [String], environment: [String: String] = [:], awaitsReady: Bool
    ) async throws -> RunningProgram {
        let executable = try #require(command.first)
        guard FileManager.default.isExecutableFile(atPath: executable) else {
            throw TestProblem("\(executable) is missing: run scripts/setup")
        }
        return try await RunningProgram.start(
            executable, Array(command.dropFirst()), environment: self.environment.merging(environment) { $1 },
            log: "client-\(UInt32.random(in: 0...UInt32.max)).log", awaitsReady: awaitsReady, in: scratch)
    }

    // MARK: The clients of one suite

    @TaskLocal private static var current: ForeignClients?

    /// Starts the server and the proxy, and provides them to every test that `body` runs.
    static func lend(
        _ settings: [String: any Sendable], _ body: () async throws -> Void
    ) async throws {
        try await Scratch.with { scratch in
            try await $current.withValue(try await ForeignClients(settings, in: scratch), operation: body)
        }
    }

    /// The server and proxy that the trait ``ForeignClientsTrait`` provides to the current test.
    static var lent: ForeignClients {
        get throws {
            guard let current else { throw TestProblem("the suite lacks the trait .foreignClients") }
            return current
        }
    }

    /// The proxy's log: for each request, `led` or `refused` and the host name.
    func asked() throws -> [String] { try proxy.log().split(separator: "\n").map(String.init) }
}

extension ServerProcess {
    /// Creates an object in the directory over the administration socket. Returns its id, or the member `member`.
    func create(_ path: String, _ members: [String: Any]?, member: String = "id") throws -> String {
        let data = try members.map { try JSONSerialization.data(withJSONObject: $0) } ?? Data()
        let body = String(decoding: data, as: UTF8.self)
        let answer = try administer("POST", "/identity/" + path, body)
        guard answer.status == 201 else { throw TestProblem("\(path): \(answer.status) \(answer.body)") }
        let made = try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any]
        return try #require(made?[member] as? String)
    }
}
