// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import DeviceSettings
internal import Logging

/// The identity platform's last answer about the device's registration, on disk. Used only on the supervisor's thread.
///
/// The status is informational: no decision depends on it. A status that cannot be read counts as unknown. A status
/// that cannot be written is kept in memory.
final class RegistrationStore {
    private var status: RegistrationStatus?
    private var written: RegistrationStatus?
    private let files: DeviceFiles
    private let logger: Logger

    /// Seconds after which an unchanged status is written again, to update its time.
    private static let refresh = 600

    init(files: DeviceFiles, logger: Logger) {
        (self.files, self.logger) = (files, logger)
        do { status = try files.read(RegistrationStatus.self, DeviceFiles.Name.registration) } catch {
            logger.warning("the registration's last status cannot be read", metadata: ["error": "\(error)"])
        }
        written = status
    }

    /// The known status of this registration; nil if it is unknown.
    func status(of join: JoinRecord?) -> RegistrationStatus? {
        guard let status, status.deviceID == join?.deviceID, status.tenantID == join?.tenantID else { return nil }
        return status
    }

    /// Stores the identity platform's answer.
    func receive(_ received: RegistrationStatus) {
        if status.map({ !received.repeats($0) }) ?? true {
            logger.notice("the device's registration", metadata: ["registration.state": "\(received.state.rawValue)"])
        }
        status = received
        if let written, received.repeats(written), received.learnedAt - written.learnedAt < Self.refresh { return }
        do {
            try files.write(received, DeviceFiles.Name.registration)
            written = received
        } catch {
            logger.error("the registration's status cannot be kept", metadata: ["error": "\(error)"])
        }
    }
}
