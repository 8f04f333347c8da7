// SPDX-License-Identifier: Apache-2.0
package import BrokerDevice
internal import BrokerProtocol
internal import Glibc
package import Logging
internal import OAuth
internal import Processes

/// Tells the directory that the device leaves it, in the device's own name.
package struct Farewell: Sendable {
    private let keys: KeyStore
    private let https: @Sendable () throws -> any HTTPSending
    private let logger: Logger

    /// For all of it: a device without a network leaves, too.
    private static let patience = Duration.seconds(10)

    package init(keys: KeyStore, https: @escaping @Sendable () throws -> any HTTPSending, logger: Logger) {
        (self.keys, self.https, self.logger) = (keys, https, logger)
    }

    /// Tells it once.
    ///
    /// - Returns: whether the directory does not list the device any more.
    func tell(_ join: JoinRecord) async -> Bool {
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await send(join) }
                group.addTask {
                    try await Task.sleep(for: Self.patience)
                    throw HTTPSError(.timeout, "the directory takes too long")
                }
                defer { group.cancelAll() }
                try await group.next()
            }
            return true
        } catch let refusal as OAuthError where refusal.number == OAuthError.unknownDeviceNumber {
            return true
        } catch {
            logger.warning(
                "the directory does not know that the device leaves",
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
        guard LeaveRequest.isHeard(answer) else {
            throw BrokerError(.serverError, "The identity platform does not confirm that the device has left.")
        }
    }
}
