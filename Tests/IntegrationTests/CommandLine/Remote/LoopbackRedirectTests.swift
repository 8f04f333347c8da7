// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import OAuth
import TestSupport
import Testing
import UnixSocket

@testable import CommandLineInterface

/// The port that takes the browser's answer to a sign-in of the command line.
@Suite(.timeLimit(.minutes(5))) struct LoopbackRedirectTests {
    /// Sends bytes to the port, and returns what it answers until it closes the connection.
    private func send(_ text: String, to redirect: LoopbackRedirect) throws -> String {
        let port = try #require(URL(string: redirect.uri)?.port.flatMap(UInt16.init(exactly:)))
        let socket = try LoopbackSocket.connected(to: port)
        try socket.setReceiveTimeout(milliseconds: 60_000)
        Relay.send(Array(text.utf8), to: socket)
        var bytes: [UInt8] = []
        while let piece = Relay.receive(from: socket) { bytes += piece }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func request(_ target: String, _ redirect: LoopbackRedirect, method: String = "GET", host: String? = nil)
        -> String
    {
        "\(method) \(target) HTTP/1.1\r\nHost: \(host ?? String(redirect.uri.dropFirst(7)))\r\n\r\n"
    }

    @Test func `only the answer with the state ends the wait`() async throws {
        let redirect = try await LoopbackRedirect(state: "right")
        for strange in [
            request("/", redirect), request("/?code=evil", redirect), request("/?code=evil&state=wrong", redirect),
            request("/?code=evil&state=right&state=right", redirect), request("/cb?code=evil&state=right", redirect),
            request("/?code=evil&state=right", redirect, method: "POST"),
            request("/?code=evil&state=right", redirect, host: "localhost:80"),
            request("/?code=evil&state=right", redirect, host: "evil.test"),
            request("/?state=right&code=\(String(repeating: "a", count: 20_000))", redirect), "nonsense\r\n\r\n",
        ] {
            let answer = try send(strange, to: redirect)
            #expect(!answer.hasPrefix("HTTP/1.1 200"), "\(strange.prefix(60)): \(answer.prefix(200))")
        }
        let page = try send(request("/?state=right&code=good", redirect), to: redirect)
        #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n") && page.contains("Return to the terminal"), "\(page)")
        #expect(page.contains("Cache-Control: no-store") && page.contains("default-src 'none'"))
        #expect(try await redirect.answer()[ParameterName.code] == "good")
    }

    @Test func `the port is closed when the sign-in is over`() async throws {
        var redirect: LoopbackRedirect? = try await LoopbackRedirect(state: "right")
        let uri = try #require(redirect?.uri)
        redirect = nil
        let port = try #require(URL(string: uri)?.port.flatMap(UInt16.init(exactly:)))
        // The listener closes on its own event loop.
        var isOpen = true
        while isOpen { isOpen = (try? LoopbackSocket.connected(to: port)) != nil }
    }

    @Test func `the port is open at the loopback address of the redirect URI only`() async throws {
        let redirect = try await LoopbackRedirect(state: "right")
        let port = try #require(URL(string: redirect.uri)?.port.flatMap(UInt16.init(exactly:)))
        _ = try LoopbackSocket.connected(to: port)
        #expect(throws: TestProblem.self) { try LoopbackSocket.connected(to: port, at: 0x7f00_0002) }
    }

    @Test func `another user of the machine gets no answer`() async throws {
        try #require(geteuid() == 0, "a process of another user needs the right to make one")
        try await Scratch.with { scratch in
            let redirect = try await LoopbackRedirect(state: "right")
            let stranger = try await RunningProgram.start(
                "/usr/bin/setpriv",
                [
                    "--reuid", "61203", "--clear-groups", "/usr/bin/curl", "--silent", "--show-error",
                    redirect.uri + "/?state=right&code=evil",
                ], log: "stranger", awaitsReady: false, in: scratch)
            #expect(try await stranger.waitForExit() != 0)
            #expect(try !stranger.log().contains("HTTP") && !stranger.log().contains("terminal"))
            _ = try send(request("/?state=right&code=good", redirect), to: redirect)
            #expect(try await redirect.answer()[ParameterName.code] == "good")
        }
    }
}
