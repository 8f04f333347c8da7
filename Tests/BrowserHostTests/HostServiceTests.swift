// SPDX-License-Identifier: Apache-2.0
import BrowserHost
import Foundation
import JSON
import TestSupport
import Testing
import UnixSocket

@Suite struct HostServiceTests {
    /// Returns the messages with which the host answers these bytes, and how its run ended.
    private func answers(
        to input: [UInt8], readySocket: String? = nil,
        _ answer: @escaping HostService.Answering = { _ in .success(.headers([])) }, whenRead: () -> Void = {}
    ) async throws -> (messages: [[String: JSONValue]], end: HostService.End) {
        let (question, reply) = (Pipe(), Pipe())
        try question.fileHandleForWriting.write(contentsOf: Data(input))
        try question.fileHandleForWriting.close()
        let service = HostService(
            output: reply.fileHandleForWriting.fileDescriptor, readySocket: readySocket, answer: answer)
        let end = service.run(input: question.fileHandleForReading.fileDescriptor)
        whenRead()
        var messages: [[String: JSONValue]] = []
        // Several threads write answers, so the test reads as many answers as there are questions.
        for _ in 0..<Self.count(input) {
            let head = try #require(try reply.fileHandleForReading.read(upToCount: 4))
            let count = head.reversed().reduce(0) { $0 << 8 | Int($1) }
            let body = try #require(try reply.fileHandleForReading.read(upToCount: count))
            messages.append(try #require(try JSONReader.read(Array(body), limits: JSONLimits(bytes: 1 << 20)).object))
        }
        return (messages, end)
    }

    private static func count(_ input: [UInt8]) -> Int {
        var reader = NativeMessageReader()
        return (try? reader.take(input).count) ?? 1
    }

    private func frame(_ text: String) throws -> [UInt8] { try #require(NativeMessageReader.frame(Array(text.utf8))) }

    @Test func `an answer has the number of its question`() async throws {
        let (messages, end) = try await answers(
            to: try frame(#"{"id":7,"ask":"headers","url":"https://login.example/"}"#)
        ) { question in
            #expect(question.wish == .headers(url: "https://login.example/"))
            return .success(.headers([.init(name: "x", value: "y")]))
        }
        #expect(end == .closed)
        #expect(
            messages == [
                ["id": .integer(7), "headers": .array([.object(["name": .string("x"), "value": .string("y")])])]
            ])
    }

    @Test(
        arguments: [
            ("", nil), ("x", nil), ("[]", nil), ("{}", nil), (#"{"id":"1","ask":"hello"}"#, nil),
            (#"{"id":-1,"ask":"hello"}"#, nil), (#"{"id":1.5,"ask":"hello"}"#, nil), (#"{"id":1}"#, 1),
            (#"{"id":1,"ask":"hello","url":"https://a"}"#, 1), (#"{"id":1,"ask":"headers"}"#, 1),
            (#"{"id":1,"ask":"headers","url":7}"#, 1), (#"{"id":1,"ask":"headers","url":"a","more":1}"#, 1),
            (#"{"id":1,"ask":"HELLO"}"#, 1), (#"{"id":1,"ask":"token"}"#, 1), (#"{"id":1,"id":1,"ask":"hello"}"#, nil),
            (#"{"id":1,"ask":"headers","url":""# + String(repeating: "a", count: 8193) + #""}"#, nil),
        ] as [(String, Int?)])
    func `a message of the wrong shape is refused, and the next one answered`(text: String, id: Int?) async throws {
        let (messages, end) = try await answers(to: try frame(text) + frame(#"{"id":2,"ask":"hello"}"#)) { _ in
            .success(.hello(addresses: ["a"], removesPrompts: true))
        }
        #expect(end == .closed && messages.count == 2)
        let refusal = try #require(messages.first { $0["error"] != nil })
        #expect(refusal["error"]?.object?["reason"] == .string("message_malformed"))
        #expect(refusal["id"]?.integer == id)
        #expect(messages.contains { $0["addresses"] == .array([.string("a")]) && $0["removesPrompts"] == .bool(true) })
    }

    @Test func `a message of 1 MB ends the host with a reason`() async throws {
        let head: [UInt8] = [0, 0, 16, 0]
        let (messages, end) = try await answers(to: head)
        #expect(end == .broken)
        #expect(messages.first?["error"]?.object?["reason"] == .string("message_too_long"))
    }

    @Test func `an answer that is too large for the browser is replaced by an error`() async throws {
        let long = String(repeating: "a", count: 1 << 20)
        let (messages, _) = try await answers(to: try frame(#"{"id":1,"ask":"hello"}"#)) { _ in
            .success(.hello(addresses: [long], removesPrompts: false))
        }
        #expect(messages.first?["error"]?.object?["reason"] == .string("broker_answer"))
    }

    @Test func `a missing broker is named, and the extension is not reported ready`() async throws {
        try await Scratch.with { scratch in
            let broker = BrokerClient(socket: scratch.path + "/none.sock", version: "1")
            let ready = try NoticeSocket(path: scratch.path + "/ready")
            let (messages, _) = try await answers(to: try frame(#"{"id":1,"ask":"hello"}"#), readySocket: ready.path) {
                question in
                Result { () throws(HostRefusal) in try broker.answer(question) }
            }
            #expect(messages.first?["error"]?.object?["reason"] == .string("broker_unreachable"))
            #expect(throws: SocketError.self) { try ready.next(seconds: 0) }
        }
    }

    @Test func `questions in excess of what one person can cause are refused`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let input = try (0..<20).flatMap { try frame(#"{"id":\#($0),"ask":"hello"}"#) }
        let (messages, end) = try await answers(to: input) { _ in
            gate.wait()
            gate.signal()
            return .success(.headers([]))
        } whenRead: {
            gate.signal()
        }
        let refused = messages.filter { $0["error"]?.object?["reason"] == .string("too_many_questions") }
        #expect(end == .closed && messages.count == 20 && refused.count == 4)
    }
}
