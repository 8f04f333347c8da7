// SPDX-License-Identifier: Apache-2.0
import DeviceHTTPS
import Files
import Foundation
import MDMProtocol
import Subprocess
import Synchronization
import TestSupport
import Testing

/// Property lists recorded from the wire, each with its kind, for `scripts/check/payloads`.
struct RecordedMessages: Sendable {
    private(set) var messages: [(kind: String, bytes: [UInt8])] = []
    /// The request types, by the UUIDs that the commands' results will carry.
    private var requests: [String: String] = [:]

    /// The kinds of the recorded messages.
    var kinds: Set<String> { Set(messages.map(\.kind)) }

    mutating func add(_ kind: String, _ bytes: [UInt8]) { messages.append((kind, bytes)) }

    mutating func add(_ exchange: WireExchange) throws {
        if exchange.isCheckIn {
            add("check-in", exchange.body)
        } else if exchange.body.isEmpty {
            if exchange.path.contains("/manifests/") { add("manifest", exchange.answer.body) }
        } else {
            add("result/\(try request(of: exchange.body))", exchange.body)
        }
        guard !exchange.body.isEmpty, !exchange.answer.body.isEmpty else { return }
        if exchange.answer.status == 403 { return add("refusal", exchange.answer.body) }
        add("command", exchange.answer.body)
        guard case .dictionary(let command) = try PropertyList(xml: exchange.answer.body),
            case .string(let uuid)? = command["CommandUUID"], case .dictionary(let body)? = command["Command"],
            case .string(let name)? = body["RequestType"]
        else { throw TestProblem("the server sent a command without a name") }
        requests[uuid] = name
    }

    private func request(of result: [UInt8]) throws -> String {
        let result = try CommandResult(propertyList: PropertyList(xml: result))
        guard let uuid = result.commandUUID else { return "Idle" }
        return try #require(requests[uuid])
    }

    /// Runs `scripts/check/payloads` on the messages. Returns whether it succeeded, and its output.
    func check(_ options: String..., in folder: Directory) async throws -> (isClean: Bool, text: String) {
        let place = folder.appending(UUID().uuidString)
        try place.make()
        var arguments = options
        for (index, message) in messages.enumerated() {
            let file = "\(place.path)/\(index).plist"
            try Data(message.bytes).write(to: URL(filePath: file))
            arguments.append("\(message.kind):\(file)")
        }
        let script = "\(Repository.root)/scripts/check/payloads"
        let result = try await run(
            .name("python3"), arguments: Arguments([script] + arguments), output: .string(limit: 1 << 20),
            error: .string(limit: 1 << 20))
        try #require(result.standardError == "", "\(result.standardError)")
        return (result.terminationStatus.isSuccess, result.standardOutput)
    }
}

/// A server that sends a device one command after the other, does nothing else, and records the exchanges.
final class ScriptedServer: HTTPSending {
    private let state: Mutex<(commands: [[UInt8]], exchanges: [WireExchange])>

    init(_ commands: [[UInt8]]) { state = Mutex((commands, [])) }

    var exchanges: [WireExchange] { state.withLock { $0.exchanges } }

    func send(_ request: HTTPSClient.Request) async throws -> HTTPSClient.Response {
        let isCheckIn = request.headers.contains { $0.value == CheckInMessage.mediaType }
        return state.withLock { state in
            let next = isCheckIn || state.commands.isEmpty ? [] : state.commands.removeFirst()
            let answer = HTTPSClient.Response(status: 200, headers: [], body: next)
            state.exchanges.append(
                WireExchange(body: request.body ?? [], isCheckIn: isCheckIn, path: "", answer: answer))
            return answer
        }
    }

    func download(
        _ url: String, limit: Int, into sink: @Sendable ([UInt8]) async throws -> Void
    ) async throws -> Int { 404 }
}
