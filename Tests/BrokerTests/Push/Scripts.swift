// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import DeviceHTTPS
import Foundation
import PushProtocol
import Synchronization

/// A scripted push channel of a server. Messages that are queued before the channel is opened are sent when it is
/// opened.
final class ScriptedPushServer: HTTPListening {
    private struct State {
        var opened = 0
        var current: AsyncStream<[UInt8]>.Continuation?
        var waiting: [[UInt8]] = []
    }

    private let state = Mutex(State())
    private let openings: AsyncStream<Int>
    private let opening: AsyncStream<Int>.Continuation

    init() { (openings, opening) = AsyncStream.makeStream() }

    func listen(
        _ request: HTTPSClient.Request, into sink: @Sendable ([UInt8]) async throws -> Void
    ) async throws -> Int {
        let (pieces, current) = AsyncStream<[UInt8]>.makeStream()
        let number = state.withLock { state in
            state.opened += 1
            state.current = current
            for piece in state.waiting { current.yield(piece) }
            state.waiting = []
            return state.opened
        }
        opening.yield(number)
        for await piece in pieces { try await sink(piece) }
        return 200
    }

    func says(_ message: PushMessage) { says(message.bytes) }
    func says(_ text: String) { says(Array(text.utf8)) }

    private func says(_ bytes: [UInt8]) {
        state.withLock { state in
            if let current = state.current { current.yield(bytes) } else { state.waiting.append(bytes) }
        }
    }

    /// Ends the channel from the server's side.
    func ends() {
        state.withLock { state in
            state.current?.finish()
            state.current = nil
        }
    }

    /// Waits until the push channel was opened `count` times.
    func isOpened(_ count: Int) async { _ = await openings.first { $0 >= count } }
}

/// An identity platform that answers status queries with the answers that a test has set, in their order. It always has
/// nonces.
final class ScriptedPlatform: HTTPSending {
    enum Answer: Sendable {
        case status(String)
        case text(String)
        case httpStatus(Int)
        case refusal(Int)
        case unreachable
    }

    private struct State {
        var answers: [Answer] = []
        var questions = 0
    }

    private let state = Mutex(State())
    private let answered: AsyncStream<Int>
    private let answer: AsyncStream<Int>.Continuation

    init() { (answered, answer) = AsyncStream.makeStream() }

    func says(_ answer: Answer) { state.withLock { $0.answers.append(answer) } }

    /// The number of status queries so far.
    var questions: Int { state.withLock(\.questions) }

    /// Waits until `count` queries were answered.
    func hasAnswered(_ count: Int) async { _ = await answered.first { $0 >= count } }

    func send(_ request: HTTPSClient.Request) async throws -> HTTPSClient.Response {
        guard request.url.hasSuffix("/device/sessionstate") else { return Self.response(200, #"{"Nonce":"n"}"#) }
        let (next, number) = state.withLock { state in
            state.questions += 1
            return (state.answers.isEmpty ? Answer.status("live") : state.answers.removeFirst(), state.questions)
        }
        defer { answer.yield(number) }
        switch next {
        case .status(let word): return Self.response(200, #"{"status":"\#(word)"}"#)
        case .text(let text): return Self.response(200, text)
        case .httpStatus(let status): return Self.response(status, "")
        case .refusal(let number):
            return Self.response(400, #"{"error":"invalid_grant","error_codes":[\#(number)],"error_description":"x"}"#)
        case .unreachable: throw HTTPSError(.unreachable, "nobody there")
        }
    }

    private static func response(_ status: Int, _ text: String) -> HTTPSClient.Response {
        HTTPSClient.Response(status: status, headers: [], body: Array(text.utf8))
    }

    func download(
        _ url: String, limit: Int, into sink: @Sendable ([UInt8]) async throws -> Void
    ) async throws -> Int { 404 }
}
