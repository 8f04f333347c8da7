// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import DeviceKeyStore
import Foundation
import JSON
import SessionIPC
import Synchronization
import TestSupport

/// The messages that the supervisor sends to its session processes, read frame by frame from a pipe into which those
/// processes copy their input.
final class ReceivedMessages: Sendable {
    /// The cases of `SupervisorMessage`, by name.
    enum Kind: String {
        case start, device, connection, tombstones, admit, refuse, confirm, tokenNoted, tombstonesStored, browserOpening
        case browserEnded, join, willEnd, idle, locks, appSettled, leasesInQuestion, pinWanted
        case pageSettled, asked, appIsFull, roomForErasers
    }

    private struct State {
        var bytes: [UInt8] = []
        /// The messages that no test has taken yet.
        var messages: [SupervisorMessage] = []
    }

    private let pipe: FileHandle
    private let state = Mutex(State())

    init(_ pipe: FileHandle) { self.pipe = pipe }

    /// Blocks until there is a message of one of these kinds that has not been taken yet.
    ///
    /// - Throws: ``TestProblem`` if no such message arrives, or if the bytes are not a message.
    func next(_ kinds: [Kind]) throws -> SupervisorMessage {
        try state.withLock { state in
            while true {
                try Self.decode(&state)
                if let index = state.messages.firstIndex(where: { Self.kind(of: $0).map(kinds.contains) == true }) {
                    return state.messages.remove(at: index)
                }
                guard isReadable(pipe.fileDescriptor, within: 120_000) else {
                    throw TestProblem("no \(kinds) among what was heard: \(state.messages)")
                }
                state.bytes += pipe.availableData
            }
        }
    }

    /// Decodes every complete frame: four bytes of length, most significant first, then the message.
    private static func decode(_ state: inout State) throws {
        while state.bytes.count >= 4 {
            let length = state.bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            guard length <= Wire.sessionLimits.bytes else { throw TestProblem("what was heard are no frames") }
            guard state.bytes.count >= 4 + length else { return }
            let body = Array(state.bytes[4..<4 + length])
            state.messages.append(try JSONReader.read(SupervisorMessage.self, from: body, limits: Wire.sessionLimits))
            state.bytes.removeFirst(4 + length)
        }
    }

    private static func kind(of message: SupervisorMessage) -> Kind? {
        // A case without values reflects as itself, a case with values as its name and the values.
        Kind(rawValue: Mirror(reflecting: message).children.first?.label ?? "\(message)")
    }
}
