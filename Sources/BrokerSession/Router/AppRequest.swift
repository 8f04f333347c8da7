// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceHTTPS
internal import DeviceSettings
internal import Processes
internal import SessionIPC

/// A request from an app, with the connection on which its one answer is sent.
struct AppRequest: Sendable {
    let request: Request
    let app: AppConnection
    let refusals: RefusalReporter

    var operation: Operation { request.operation }
    var parameters: FlatMap { request.parameters }
    var identity: AppIdentity { app.peer.identity }

    /// Returns the process that sent the request.
    ///
    /// - Throws: ``BrokerError`` if that process is unknown, because the broker could neither wait for it nor have it
    ///   ended with the session.
    func process() throws(BrokerError) -> ProcessTable.Name {
        guard let process = app.peer.name else {
            throw BrokerError(
                .unauthorizedClient,
                "The process that connected has ended, or the broker cannot see it. Connect in the process that asks.",
                reason: .otherApp)
        }
        return process
    }

    /// Sends the answer from this thread. May block until the app reads the answer.
    func reply(_ outcome: Result<FlatMap, BrokerError>) {
        if case .success = outcome { refusals.noteAnswer(to: self) }
        app.reply(to: request, outcome)
    }

    /// Answers with an error, and logs that error, so that an error that an app reports can be found in the log.
    func refuse(_ error: BrokerError) {
        refusals.report(error, to: self)
        reply(.failure(error))
    }

    /// Sends the answer from a thread of the connection, because an app that does not read must not block a task.
    func answerLater(_ outcome: Result<FlatMap, BrokerError>) {
        app.answerLater {
            switch outcome {
            case .success: reply(outcome)
            case .failure(let error): refuse(error)
            }
        }
    }

    /// Sets the action that runs when the app cancels the request, or disconnects while the request waits.
    func onCancel(_ action: @escaping @Sendable () -> Void) { app.onCancel(request, action) }
}

/// A service's answer to an app, without the entries that every response has.
struct AppResponse: Sendable {
    var type = ResponseType.generic
    var entries = FlatMap()
    /// Whether the app gets the answer even while the device is neither shared nor personal. In that case the answer
    /// does not state the device's mode.
    var needsNoMode = false

    /// Returns the whole response to an operation.
    ///
    /// - Throws: ``BrokerError`` while the device is neither shared nor personal, unless the response needs no mode.
    func entries(to operation: Operation, from device: DeviceSnapshot) throws(BrokerError) -> FlatMap {
        let info: DeviceInfo?
        do throws(BrokerError) { info = try device.info() } catch {
            guard needsNoMode else { throw error }
            info = nil
        }
        return .response(to: operation, type: type, device: info, entries: entries)
    }
}

/// When a request is answered, and by which part of the broker.
enum AppAnswer: Sendable {
    /// The request is answered at once: everything is in memory.
    case now(AppResponse)
    /// The request is answered after a request to the identity platform, or after the person has acted.
    case later(@Sendable () async throws -> AppResponse)
    /// The request is answered by the service or process that has taken it over, or not at all because the connection
    /// ends.
    case elsewhere
}
