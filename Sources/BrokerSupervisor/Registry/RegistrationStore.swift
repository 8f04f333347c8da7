// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerIPC
internal import Logging

/// What the identity platform last said of the device's registration, on disk; used on the supervisor's thread alone.
///
/// It is a finding and decides nothing: what cannot be read counts as not known, and what cannot be written is kept in memory.
final class RegistrationStore {
    private var status: RegistrationStatus?
    private var written: RegistrationStatus?
    private let files: DeviceFiles
    private let logger: Logger

    /// Seconds after which the same status is written again, for its time.
    private static let refresh = 600

    init(files: DeviceFiles, logger: Logger) {
        (self.files, self.logger) = (files, logger)
        do { status = try files.read(RegistrationStatus.self, DeviceFiles.Name.registration) } catch {
            logger.warning("the registration's last status cannot be read", metadata: ["error": "\(error)"])
        }
        written = status
    }

    /// What is known of this registration; nil if nothing is.
    func status(of join: JoinRecord?) -> RegistrationStatus? {
        guard let status, status.deviceID == join?.deviceID, status.tenantID == join?.tenantID else { return nil }
        return status
    }

    /// Keeps what the identity platform said.
    func hear(_ heard: RegistrationStatus) {
        if status.map({ !heard.repeats($0) }) ?? true {
            logger.notice("the device's registration", metadata: ["registration.state": "\(heard.state.rawValue)"])
        }
        status = heard
        if let written, heard.repeats(written), heard.learnedAt - written.learnedAt < Self.refresh { return }
        do {
            try files.write(heard, DeviceFiles.Name.registration)
            written = heard
        } catch {
            logger.error("the registration's status cannot be kept", metadata: ["error": "\(error)"])
        }
    }
}
