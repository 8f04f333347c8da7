// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
package import DeviceSettings
package import Logging
internal import SessionIPC

/// Owns the device's join to a directory. An operator may wait for a join to finish.
package final class JoinFlow {
    /// The device's registration; nil if the device has not joined a directory.
    package private(set) var record: JoinRecord?
    private var current: Wait?
    private var number: UInt64 = 0
    private let files: DeviceFiles
    private let logger: Logger

    package init(files: DeviceFiles, logger: Logger) throws {
        (self.files, self.logger) = (files, logger)
        record = try files.join()
    }

    /// An operator who waits for the join to finish.
    private struct Wait {
        let order: JoinOrder
        let requestID: SessionMachine.SignInRequestID
        let connection: UInt64
        let answer: @Sendable (OperatorReply) -> Void
    }

    /// The order of the waiting operator; nil if no operator waits.
    package var order: JoinOrder? { current?.order }

    /// The address of the device's directory, already known while the device joins it; nil before the first join.
    package var loginURL: String? { record?.loginURL ?? order?.loginURL }

    /// The sign-in request of the join that the operator on this connection waits for; nil if there is none.
    package func request(from connection: UInt64) -> SessionMachine.SignInRequestID? {
        current?.connection == connection ? current?.requestID : nil
    }

    /// Begins a join.
    ///
    /// - Parameter connection: the operator's connection; the join ends when that connection ends.
    /// - Returns: the request for the administrator's sign-in; nil if the join was refused.
    package func begin(
        _ order: JoinOrder, from connection: UInt64, answer: @escaping @Sendable (OperatorReply) -> Void
    ) -> SessionMachine.SignInRequestID? {
        guard current == nil else {
            answer(.failed(.joinRunning))
            return nil
        }
        guard record == nil else {
            answer(.failed(.alreadyJoined))
            return nil
        }
        number += 1
        let requestID = SessionMachine.SignInRequestID(number: number, purpose: .administrator)
        current = Wait(order: order, requestID: requestID, connection: connection, answer: answer)
        return requestID
    }

    /// Writes the join to disk.
    ///
    /// - Returns: a closure that answers the operator, to be called when the administrator's session has ended; nil if
    ///   no operator waits.
    package func complete(_ joined: JoinRecord) throws -> (@Sendable () -> Void)? {
        try files.write(joined)
        Failpoint.joinWritten.reach()
        try files.removeConfirmedJoin()
        record = joined
        guard let answer = current?.answer else { return nil }
        current = nil
        return { answer(.joined(deviceID: joined.deviceID, tenantID: joined.tenantID)) }
    }

    /// Adopts a registration that the directory confirmed, but that the session process could not report because that
    /// process died. Answers the waiting operator, if any.
    package func adoptConfirmed() throws {
        guard let confirmed = try files.confirmedJoin() else { return }
        guard record == nil else { return try files.removeConfirmedJoin() }
        try files.write(confirmed)
        try files.removeConfirmedJoin()
        record = confirmed
        logger.notice("the join that the directory had confirmed is finished")
        current?.answer(.joined(deviceID: confirmed.deviceID, tenantID: confirmed.tenantID))
        current = nil
    }

    /// Tells the waiting operator that the join failed. The administrator's sign-in ends as well.
    package func fail(_ failure: OperatorFailure) {
        current?.answer(.failed(failure))
        current = nil
    }
}

extension OperatorFailure {
    fileprivate static let joinRunning = OperatorFailure(
        code: "join_running", message: "A join is running already.",
        remedy: "Finish that join, or end the command baton device join that is waiting for it.")
    static let joinInterrupted = OperatorFailure(
        code: "join_interrupted", message: "Somebody ended the join at the device.", remedy: "Join again.")
    static let joinProcessDied = OperatorFailure(
        code: "session_process_died", message: "The process that served the sign-in ended.",
        remedy: "Try again; if it happens again, look at the broker's log.")
}

extension SignInRefusal {
    /// The failure reported to the operator if a join cannot begin.
    var joinFailure: OperatorFailure {
        switch self {
        case .occupied, .anotherSignIn:
            OperatorFailure(
                code: "device_in_use", message: "Somebody is signed in or signing in on this device.",
                remedy: "Sign out first (baton account sign-out), then join.")
        case .agentMissing:
            OperatorFailure(
                code: "agent_missing", message: "The last browser on this device cannot be cleared without its agent.",
                remedy: "Start baton-agent in the graphical session, then join.")
        }
    }
}
