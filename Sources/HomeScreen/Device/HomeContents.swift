// SPDX-License-Identifier: Apache-2.0
internal import Files
internal import Glibc
internal import Logging
internal import MDMProtocol
internal import Synchronization

/// The content of the home screen: what the MDM pushed, or the local configuration if it pushed none.
///
/// If a pushed configuration cannot be read, the content stays as it is.
final class HomeContents: Sendable {
    private struct State {
        var content: HomeContent
        /// The version of the pushed configuration that is shown; nil if the local configuration is shown.
        var version: String?
        /// The last version that could not be read. It is remembered so that it is logged only once.
        var unreadable: String?
    }

    private let local: HomeConfiguration
    private let pushed: AtomicFile
    private let state: Mutex<State>
    private let logger: Logger

    /// Reads the pushed configuration, if the MDM has pushed one. Blocks on the disk.
    ///
    /// - Parameters:
    ///   - local: the configuration that applies if the MDM has pushed none.
    ///   - path: the file of the pushed configuration.
    init(local: HomeConfiguration, pushed path: String, logger: Logger) {
        (self.local, pushed, self.logger) = (local, AtomicFile(path: path), logger)
        state = Mutex(State(content: HomeContent(local, after: nil)))
        // Without a broker there is no version, but the screen still shows the organisation and whom to call.
        let start = "at the start"
        do {
            if let configuration = try read() { show(configuration, version: start) }
        } catch { report(error, version: start) }
    }

    var current: HomeContent { state.withLock(\.content) }

    /// Shows the configuration that the broker has published. Blocks on the disk.
    ///
    /// - Parameter version: its version; nil if the MDM pushed none.
    /// - Returns: whether the content has changed.
    func follow(_ version: String?) -> Bool {
        guard state.withLock({ $0.version != version }) else { return false }
        guard let version else { return show(local, version: nil) }
        do {
            guard let configuration = try read() else {
                throw FileError(.open, errno: ENOENT, path: pushed.path)
            }
            return show(configuration, version: version)
        } catch {
            report(error, version: version)
            return false
        }
    }

    /// - Returns: nil if there is no file.
    private func read() throws -> HomeConfiguration? {
        try pushed.read(limit: HomeConfiguration.maximumPublished).map(HomeConfiguration.init(published:))
    }

    private func report(_ error: any Error, version: String) {
        let isNew = state.withLock { state in
            defer { state.unreadable = version }
            return state.unreadable != version
        }
        guard isNew else { return }
        logger.error(
            "the home screen's configuration from the MDM cannot be read; see: baton doctor",
            metadata: ["error": "\(error)", "file": "\(pushed.path)"])
    }

    @discardableResult
    private func show(_ configuration: HomeConfiguration, version: String?) -> Bool {
        state.withLock { state in
            state.version = version
            guard configuration != state.content.configuration else { return false }
            state.content = HomeContent(configuration, after: state.content)
            return true
        }
    }
}
