// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import Synchronization

extension AccountDesk {
    /// Tells the supervisor why an app was refused, or why a person is asked to sign in, for `baton doctor`.
    ///
    /// Nothing goes along that an app could have made up or that is a worker's: of the request only what the registry knows.
    func note(
        _ kind: RefusalRecord.Kind, _ request: Request, _ app: AppConnection, code: BrokerError.Code?,
        reason: BrokerError.Reason?
    ) {
        let time = now()
        let (clientID, swallowed) = state.withLock { state in
            (
                request.parameters[.clientID].flatMap { state.device.registered($0)?.clientID },
                state.refusals.admits(at: time)
            )
        }
        guard let swallowed else { return }
        let operation = Operation.all.contains(request.operation) ? request.operation.rawValue : nil
        let record = RefusalRecord(
            kind: kind, time: time, operation: operation, code: code?.rawValue, reason: reason?.rawValue,
            level: app.peer.identity.level, app: app.peer.identity.bundleID, clientID: clientID)
        tell(.refused(record, before: swallowed))
    }
}
