// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
package import DeviceHTTPS
package import DeviceKeyStore
internal import DeviceSettings
internal import Glibc
package import Logging
internal import OAuth
internal import Processes

/// Notifies the directory that the device leaves it. The device signs the request itself.
package struct Farewell: Sendable {
    private let keys: KeyStore
    private let https: @Sendable () throws -> any HTTPSending
    private let logger: Logger

    /// The time limit for the whole call. A device without a network must also be able to leave.
    private static let patience = Duration.seconds(10)

    package init(keys: KeyStore, https: @escaping @Sendable () throws -> any HTTPSending, logger: Logger) {
        (self.keys, self.https, self.logger) = (keys, https, logger)
    }

    /// Makes one attempt to notify the directory.
    ///
    /// - Returns: whether the directory no longer lists the device.
    func tell(_ join: JoinRecord) async -> Bool {
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await send(join) }
                group.addTask {
                    try await Task.sleep(for: Self.patience)
                    throw HTTPSError(.timeout, "the directory did not answer in time")
                }
                defer { group.cancelAll() }
                try await group.next()
            }
            return true
        } catch let refusal as OAuthError where refusal.number == OAuthError.unknownDeviceNumber {
            return true
        } catch {
            logger.warning(
                "the directory could not be notified that the device leaves",
                metadata: ["error": "\(BrokerError(reading: error).code.rawValue)"])
            return false
        }
    }

    @concurrent private func send(_ join: JoinRecord) async throws {
        let (keys, https) = (keys, https)
        let device = try await blocking {
            try DeviceCallSigner(
                join: join, keys: try DeviceKeys(in: keys), https: try https(), now: { Int(Glibc.time(nil)) })
        }
        let answer = try await device.answer { LeaveRequest($0) }
        guard LeaveRequest.isConfirmed(by: answer) else {
            throw BrokerError(.serverError, "The identity platform does not confirm that the device has left.")
        }
    }
}
