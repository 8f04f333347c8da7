// SPDX-License-Identifier: Apache-2.0
internal import Files
internal import Logging

extension Supervisor {
    /// Works out anew which app is which, at the start and whenever the MDM changed something. Where that cannot be found
    /// out no app is served until it can be.
    func readRegistry() {
        let former = registry
        do throws(RegistryFailure) {
            var file: RegistryFile?
            if let path = configuration.appRegistry { file = try RegistryFile(path: path) }
            try trustManagement()
            registry = .success(
                try AppRegistry(managed: device.settings, file: file, sharedUsers: listeners.sharedUsers))
        } catch {
            registry = .failure(error)
            logger.error(
                "no app is served: nobody can say which is which",
                metadata: ["error.code": "\(error.code.rawValue)", "error.subject": "\(error.subject)"])
        }
        if registry != former { listeners.follow(try? registry.get()) }
    }

    /// What the MDM declared is as good as the file that holds it.
    private func trustManagement() throws(RegistryFailure) {
        do throws(RegistryFailure) { try RegistryFile.trust(files.management.path + "/state.json") } catch {
            // A device that was never enrolled has none.
            guard error.code == .missing else { throw error }
        }
    }
}
