// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerProtocol

/// A request of an app, with the connection that its one answer goes to.
struct AppRequest: Sendable {
    let request: Request
    let app: AppConnection
    let refusals: RefusalReporter

    var operation: Operation { request.operation }
    var parameters: FlatMap { request.parameters }
    var identity: AppIdentity { app.peer.identity }

    /// Sends the answer from this thread, which may block until the app reads.
    func reply(_ outcome: Result<FlatMap, BrokerError>) { app.reply(to: request, outcome) }

    /// Answers with an error, and leaves a line by which the app's report of it can be found.
    func refuse(_ error: BrokerError) {
        refusals.report(error, to: self)
        reply(.failure(error))
    }

    /// Answers from a thread of the connection's own, for an app that does not read must not hold up a task.
    func answerLater(_ outcome: Result<FlatMap, BrokerError>) {
        app.answerLater {
            switch outcome {
            case .success: reply(outcome)
            case .failure(let error): refuse(error)
            }
        }
    }

    /// What to do when the app gives the request up, or goes away while it waits.
    func onCancel(_ action: @escaping @Sendable () -> Void) { app.onCancel(request, action) }
}

/// What a service has to say to an app; what every response says is added to it.
struct AppResponse: Sendable {
    var type = ResponseType.generic
    var entries = FlatMap()

    /// The whole response to an operation.
    ///
    /// - Throws: ``BrokerError`` while the device is neither shared nor personal.
    func entries(to operation: Operation, from device: DeviceSnapshot) throws(BrokerError) -> FlatMap {
        .response(to: operation, type: type, device: try device.info(), entries: entries)
    }
}

/// When a request is answered.
enum AppAnswer: Sendable {
    /// At once: everything is in memory.
    case now(AppResponse)
    /// After a request to the identity platform, or to the person.
    case later(@Sendable () async throws -> AppResponse)
    /// By whoever took the request on, or by the end of the connection.
    case elsewhere
}
