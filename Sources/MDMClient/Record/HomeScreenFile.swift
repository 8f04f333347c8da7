// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import Crypto
internal import DeviceKeyStore
internal import Encodings
internal import Files
internal import FoundationEssentials
internal import Glibc
internal import Logging
internal import MDMProtocol
internal import Synchronization

/// The file from which home screens read the configuration that the MDM pushed.
///
/// The file is beside the managed marker, in a folder that only the broker's user can write to. It contains no secret,
/// and anybody may read it. It is replaced as a whole, images included. If it cannot be written, management continues:
/// the file keeps its former content, and the broker tries again with the next record and at its next start.
final class HomeScreenFile: Sendable {
    private struct State {
        /// The profiles that the file is made from; nil before the first attempt and after a failed attempt.
        var profiles: [String: Data]?
        /// The digest of the file's content; nil if there is no file.
        var version: String?
        var failure: String?
    }

    private let path: String
    private let state = Mutex(State())
    private let logger: Logger
    private var file: AtomicFile { AtomicFile(path: path) }

    private static let mode: UInt32 = 0o644

    init(beside marker: ManagedMarker, logger: Logger) {
        (path, self.logger) = (WellKnownPath.homeScreen(beside: marker.path), logger)
    }

    /// The digest of the published configuration; nil if none is published.
    var version: String? { state.withLock(\.version) }

    /// Publishes the configuration of a record, or removes the file if the record has none. Blocks on the disk.
    func follow(_ record: MDMRecord?) {
        let profiles = record?.profiles ?? [:]
        guard state.withLock({ $0.profiles != profiles }) else { return }
        do {
            let content = try record?.homeScreen()?.published
            if let content { try write(content) } else { try file.remove() }
            state.withLock {
                $0 = State(profiles: profiles, version: content.map { Hexadecimal.text(SHA256.hash(data: $0)) })
            }
        } catch {
            logger.error("the home screen's configuration cannot be published", metadata: ["error": "\(error)"])
            state.withLock { ($0.profiles, $0.failure) = (nil, "\(error)") }
        }
    }

    private func write(_ content: [UInt8]) throws(FileError) {
        guard (try? file.read(limit: HomeConfiguration.maximumPublished)) != content || !isReadable else { return }
        // The folder is that of the managed marker. It exists while the device is enrolled.
        try file.replace(with: content, mode: Self.mode)
    }

    /// Whether anybody may read the file, and only the broker's user may write to it.
    private var isReadable: Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & 0o777 == Self.mode && status.st_uid == geteuid()
    }

    /// The finding for `baton doctor`; nil if the MDM pushed no home screen. Blocks on the disk.
    var finding: CheckResult? {
        let state = state.withLock { $0 }
        guard state.failure == nil else { return unpublished("\(path) cannot be written") }
        guard let version = state.version else { return nil }
        guard isReadable, let content = try? file.read(limit: HomeConfiguration.maximumPublished),
            Hexadecimal.text(SHA256.hash(data: content)) == version
        else { return unpublished("\(path) was changed after the broker wrote it") }
        return CheckResult(
            .mode, .good, code: "home_screen_published",
            message: "Home screens show the configuration that the MDM pushed.")
    }

    private func unpublished(_ cause: String) -> CheckResult {
        CheckResult(
            .mode, .warning, code: "home_screen_unpublished",
            message: "Home screens may not show the configuration that the MDM pushed: \(cause).",
            remedy: "Let the broker's user write to the folder, and restart the broker: it writes the file again.")
    }
}

extension MDMRecord {
    /// Returns the home screen's configuration from the installed profiles; nil if no profile contains a configuration.
    ///
    /// - Throws: ``DeviceStateDamaged`` if a profile that was checked when it was installed can no longer be read.
    func homeScreen() throws(DeviceStateDamaged) -> HomeConfiguration? {
        for body in profiles.values {
            guard let profile = try? Profile(xml: Array(body)) else {
                throw DeviceStateDamaged(file: MDMStore.fileName)
            }
            for case .homeScreen(let payload) in profile.payloads.map(\.content) {
                guard let configuration = try? payload.configuration() else {
                    throw DeviceStateDamaged(file: MDMStore.fileName)
                }
                // The profile linter refuses a second configuration.
                return configuration
            }
        }
        return nil
    }
}
