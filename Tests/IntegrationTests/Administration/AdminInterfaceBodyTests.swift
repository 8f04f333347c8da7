// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import Foundation
import Processes
import TestSupport
import Testing
import UnixSocket

/// Bodies that are malformed, or that do not end.
@Suite struct AdminInterfaceBodyTests {
    @Test
    func `a body that is malformed or does not end gets one refusal with a code, and is no failure of the server`()
        async throws
    {
        try await Scratch.with { scratch in
            let metrics = try #require(FreePort.tcp(in: FreePort.ofTests))
            let server = try await AdministeredServer(
                ["requestDeadline": 2, "metrics": ["port": Int(metrics)]], in: scratch)
            try server.addPerson("admin", roles: "Global Administrator")
            let script = try await RunningProgram.start(
                ForeignClients.python,
                [
                    ForeignClients.script("unfinished_bodies.py"), "admin.test", "\(server.port)",
                    server.server.state + "/ca/root.pem", try await server.token(ofPerson: "admin"),
                ], log: "unfinished-bodies.log", awaitsReady: false, in: scratch)
            let code = try await script.waitForExit()
            let printed = try script.log()
            #expect(code == 0, "\(printed)")
            let lines = printed.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            let answers = Dictionary(uniqueKeysWithValues: lines.filter { $0.count == 4 }.map { ($0[0], $0) })
            #expect(answers.count == 10, "\(lines)")
            for name in ["negative", "huge", "letters", "separator", "trailer"] {
                #expect(answers[name].map { Array($0[1...2]) } == ["400", "admin.request"], "\(lines)")
            }
            #expect(answers["stranger"].map { Array($0[1...2]) } == ["401", "admin.token"], "\(lines)")
            #expect(answers["announced"].map { Array($0[1...2]) } == ["413", "admin.tooLarge"], "\(lines)")
            for name in ["stalled", "dripping"] {
                #expect(answers[name].map { Array($0[1...2]) } == ["408", "admin.request"], "\(lines)")
                #expect(answers[name].flatMap { Int($0[3]) }.map { (2...6).contains($0) } == true, "\(lines)")
            }
            #expect(answers["correct"]?[1] == "201", "\(lines)")
            for bytes in ["-1\r\n", "zz\r\n", "16\r\n{\"displayName\":\"Ward\"}XX\r\n"] {
                let answer = try socketAnswer(server.server.state, chunks: bytes)
                #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2, "\(answer)")
                #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.contains("admin.request"), "\(answer)")
            }
            let log = try server.server.log()
            #expect(!log.contains("administration failed") && !log.contains(" error "), "\(log)")
            let text = try await LiveDevice.MonitoringTests.scrape(metrics, in: scratch)
            #expect(!text.contains(/status="5\d\d"} [1-9]/), "\(text)")
        }
    }

    private func socketAnswer(_ state: String, chunks: String) throws -> String {
        let connection = try FrameConnection.connect(to: state + "/admin.sock", maximumFrame: 1)
        try connection.descriptor.setReceiveTimeout(milliseconds: 20_000)
        let request =
            "POST /identity/tenants/-/groups HTTP/1.1\r\nHost: server\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks
        Relay.send(Array(request.utf8), to: connection.descriptor)
        var bytes: [UInt8] = []
        while let piece = Relay.receive(from: connection.descriptor) { bytes += piece }
        return String(decoding: bytes, as: UTF8.self)
    }
}
