// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrowserExtension
internal import Files
internal import Logging

/// The files that the agent has written for its windows, and that nobody else may change while the windows read them.
extension OpenWindows {
    /// Checks whether the files that the agent wrote for its windows are unchanged, and keeps the findings until the
    /// epoch ends.
    func compareFiles() {
        guard configuration.managed != nil else { return }
        compare(.package) { () throws(FileError) in try (try? package?.get())?.changedFile() }
        for window in folders.values { compare(window.policies) }
        if let worker { compare(worker.policies) }
    }

    /// The findings of this epoch's comparisons; nil if the agent writes no files. Nothing is known about an extension
    /// that could not be packed.
    var comparedFiles: ComparedFiles? {
        guard configuration.managed != nil else { return nil }
        var files = comparison
        if (try? package?.get()) == nil { files.unread.insert(.package) }
        return files
    }

    /// The packed extension; nil if somebody has changed its files, so that it must be packed again.
    func unchangedPackage() -> BrowserExtensionPackage? {
        guard let package = try? package?.get(), (try? package.changedFile()) == .some(nil) else { return nil }
        return package
    }

    /// Checks whether the policies of one window are unchanged.
    func compare(_ policies: KnownFiles) { compare(.policies) { () throws(FileError) in try policies.changed() } }

    private func compare(_ files: BrowserFiles, _ changed: () throws(FileError) -> String?) {
        do throws(FileError) {
            guard let path = try changed(), comparison.changed.insert(files).inserted else { return }
            logger.error("a file that browsers read was changed", metadata: ["file": "\(path)"])
        } catch {
            guard comparison.unread.insert(files).inserted else { return }
            logger.error("a file that browsers read could not be compared", metadata: ["error": "\(error)"])
        }
    }

    /// Refuses to open a page of the worker if a file is not the one that the agent wrote.
    ///
    /// - Throws: ``AgentFailure``.
    func refuseChangedFiles() throws(AgentFailure) {
        compareFiles()
        if comparison.changed.contains(.package) {
            throw AgentFailure(
                .extensionChanged,
                "A file of the browser's extension was changed since the agent packed it; the agent's log names it. Find "
                    + "out who did that, then restart baton-agent: it packs the extension again.")
        }
        try refuseChangedPolicies()
    }

    /// Refuses to open a window if its policies, or those of another window, are not those that the agent wrote.
    ///
    /// - Throws: ``AgentFailure``.
    func refuse(ifChanged policies: KnownFiles) throws(AgentFailure) {
        compare(policies)
        try refuseChangedPolicies()
    }

    private func refuseChangedPolicies() throws(AgentFailure) {
        if comparison.changed.contains(.policies) {
            throw AgentFailure(
                .policiesChanged,
                "A file of a window's policies was changed since the agent wrote it; the agent's log names it. Hand the "
                    + "device over, and find out who did that.")
        }
        guard comparison.unread.isEmpty else {
            throw AgentFailure(
                .policiesUnavailable,
                "The files of the browser's extension and policies cannot be read; see the agent's log.")
        }
    }
}
