// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import DeviceHTTPS
internal import DeviceKeyStore
internal import DeviceSettings
internal import Glibc
internal import Logging
internal import SessionIPC
internal import Synchronization

/// Logs why apps were refused, and reports the reasons to the supervisor for `baton doctor`.
///
/// A report contains no text that an app can choose and no data of a worker. From the request, it contains only names
/// that the protocol or the registry defines.
final class RefusalReporter: Sendable {
    private let session: CurrentSession
    private let supervisor: SupervisorLink
    private let counter: RequestCounter
    private let logger: Logger
    private let meter = Mutex(RefusalMeter())

    init(session: CurrentSession, supervisor: SupervisorLink, counter: RequestCounter, logger: Logger) {
        (self.session, self.supervisor, self.counter, self.logger) = (session, supervisor, counter, logger)
    }

    /// Reports that an app is answered with this error.
    func report(_ error: BrokerError, to call: AppRequest) {
        counter.refusal(error.code)
        logger.info(
            "refused",
            metadata: [
                "request.operation": "\(Operation.all.contains(call.operation) ? call.operation.rawValue : "-")",
                "error.code": "\(error.code.rawValue)",
                "request.id": "\(call.parameters.correlationID ?? "-")",
            ])
        // Every app that starts with nobody signed in is refused in this way, and registers again at a sign-in.
        guard call.operation != .registerEraser || error.code != .interactionRequired else { return }
        note(.refused, call, code: error.code, reason: error.reason)
    }

    /// Logs that an app is answered, so that its request can be found by its id.
    func noteAnswer(to call: AppRequest) {
        logger.debug(
            "answered",
            metadata: [
                "request.operation": "\(call.operation.rawValue)",
                "request.id": "\(call.parameters.correlationID ?? "-")",
            ])
    }

    /// Reports that a person is asked to sign in.
    func reportPrompt(for call: AppRequest, reason: BrokerError.Reason) {
        note(.prompted, call, code: nil, reason: reason)
    }

    private func note(
        _ kind: RefusalRecord.Kind, _ call: AppRequest, code: BrokerError.Code?, reason: BrokerError.Reason?
    ) {
        let time = Int(Glibc.time(nil))
        guard let swallowed = meter.withLock({ $0.admits(at: time) }) else { return }
        let clientID = call.parameters[.clientID].flatMap { session.device.registered($0)?.clientID }
        let operation = Operation.all.contains(call.operation) ? call.operation.rawValue : nil
        let record = RefusalRecord(
            kind: kind, time: time, operation: operation, code: code?.rawValue, reason: reason?.rawValue,
            level: call.identity.level, app: call.identity.bundleID, clientID: clientID)
        supervisor.tell(.refused(record, before: swallowed))
    }
}
