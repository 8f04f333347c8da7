// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Logging
internal import Processes
internal import UnixSocket

/// The answer to a requester of a sign-out.
enum SignOutOutcome: Sendable {
    case ready
    /// The sign-out is committed, but was not finished in time.
    case goesOn
}

/// The requesters of the session's end, who wait until the device is ready.
struct SignOutRequesters {
    private var waiting: [SessionMachine.Requester: (SignOutOutcome) -> Void] = [:]
    private var number: UInt64 = 0
    private let timer: InputTimer

    init(timer: InputTimer) { self.timer = timer }

    /// Adds a requester who is answered once: when the device is ready, or after `patience`, with the answer that the
    /// sign-out is unfinished.
    mutating func add(
        patience: Duration? = nil, answer: @escaping (SignOutOutcome) -> Void = { _ in }
    ) -> SessionMachine.Requester {
        number += 1
        let requester = SessionMachine.Requester(number: number)
        waiting[requester] = answer
        if let patience { timer.post(.overdue(requester), after: patience) }
        return requester
    }

    /// Notifies these requesters that the device is ready.
    mutating func answer(_ requesters: [SessionMachine.Requester]) {
        for requester in requesters { waiting.removeValue(forKey: requester)?(.ready) }
    }

    /// Notifies a requester who has waited too long that the sign-out is committed but unfinished.
    mutating func overdue(_ requester: SessionMachine.Requester) {
        waiting.removeValue(forKey: requester)?(.goesOn)
    }
}

/// An app that asked for the sign-out. The answer is sent on the app's own connection. After that, the connection ends
/// like every connection of the epoch.
struct SignOutCaller: Sendable {
    let requestID: String
    /// Whether the browser's extension asked for the sign-out.
    let inBrowser: Bool
    let connection: FrameConnection
    /// The device's information for the answer.
    let info: DeviceInfo?
    let logger: Logger

    /// How long an app waits before it gets the answer that the sign-out is unfinished. The time is short because a
    /// person waits at the app's screen.
    static let patience = Duration.seconds(10)

    private var response: FlatMap {
        inBrowser
            ? .response(
                to: .browserNativeMessage, type: .browserNativeMessage, device: info, entries: .emptyPayload)
            : .response(to: .signOut, type: .generic, device: info)
    }

    func answer(_ outcome: SignOutOutcome) {
        let result: Result<FlatMap, BrokerError> =
            switch outcome {
            case .ready: .success(response)
            case .goesOn: .failure(.signOutGoesOn)
            }
        let reply = BrokerMessage.reply(Reply(requestID: requestID, outcome: result))
        // An app that does not read its answer must block neither this thread nor the pool that runs timers.
        do {
            try BlockingThread.start {
                do { try connection.write(reply.bytes) } catch {
                    logger.debug("the app that signed out is gone", metadata: ["error": "\(error)"])
                }
                connection.shutDown()
            }
        } catch { logger.error("no thread for an answer", metadata: ["error": "\(error)"]) }
    }
}

extension BrokerError {
    /// The sign-out takes longer than an app should wait.
    fileprivate static let signOutGoesOn = BrokerError(
        .unfinished,
        "The sign-out is committed and continues: nobody is signed in, but the device is not ready for the "
            + "next worker yet. Do not sign out again; if this persists, run baton device status.")
}
