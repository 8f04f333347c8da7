// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Logging
internal import Processes
internal import UnixSocket

/// What somebody who asked for the end of a session is told.
enum SignOutOutcome: Sendable {
    case ready
    /// Committed, and not finished in time.
    case goesOn
}

/// Those who asked for the end of the session, and wait until the device is ready.
struct SignOutRequesters {
    private var waiting: [SessionMachine.Requester: (SignOutOutcome) -> Void] = [:]
    private var number: UInt64 = 0
    private let timer: InputTimer

    init(timer: InputTimer) { self.timer = timer }

    /// Adds one who is answered once: when the device is ready, or after `patience` that the sign-out goes on.
    mutating func add(
        patience: Duration? = nil, answer: @escaping (SignOutOutcome) -> Void = { _ in }
    ) -> SessionMachine.Requester {
        number += 1
        let requester = SessionMachine.Requester(number: number)
        waiting[requester] = answer
        if let patience { timer.post(.overdue(requester), after: patience) }
        return requester
    }

    /// The device is ready: answers these.
    mutating func answer(_ requesters: [SessionMachine.Requester]) {
        for requester in requesters { waiting.removeValue(forKey: requester)?(.ready) }
    }

    /// The end is committed and goes on; who asked for it has waited long enough.
    mutating func overdue(_ requester: SessionMachine.Requester) {
        waiting.removeValue(forKey: requester)?(.goesOn)
    }
}

/// An app that asked for the sign-out. The answer goes out on its own connection, which then ends like every other of the
/// epoch.
struct SignOutCaller: Sendable {
    let requestID: String
    let connection: Connection
    /// What the app is told of the device.
    let info: DeviceInfo?
    let logger: Logger

    /// How long an app waits before it is told that the sign-out goes on: a person looks at a screen.
    static let patience = Duration.seconds(10)

    func answer(_ outcome: SignOutOutcome) {
        let result: Result<FlatMap, BrokerError> =
            switch outcome {
            case .ready: .success(.response(to: .signOut, type: .generic, device: info))
            case .goesOn: .failure(.signOutGoesOn)
            }
        let reply = BrokerMessage.reply(Reply(requestID: requestID, outcome: result))
        // An app that does not take its answer must not hold up this thread, nor the pool on which timers run.
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
    /// An app's sign-out that takes longer than the app should wait.
    fileprivate static let signOutGoesOn = BrokerError(
        .unfinished,
        "The sign-out is committed and goes on: nobody is signed in, but the device is not ready for the next worker yet."
            + " Do not sign out again; look at baton device status if it stays so.")
}
