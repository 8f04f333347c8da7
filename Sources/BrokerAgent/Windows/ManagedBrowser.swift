// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrowserExtension
internal import BrowserPolicies
internal import BrowserWindows
internal import Files
internal import Glibc
internal import UnixSocket

/// The browsers that the agent confines and configures: the worker's browser, with the device's policies and with the
/// extension that signs the worker in, and the sign-in window, which shows sign-in pages only.
///
/// Each window has a folder of its own with its policies and start pages. The browser runs in a ``Confinement``, in which
/// these files appear, read-only, where the browser looks for them.
package struct ManagedBrowser: Sendable, Equatable {
    /// The program that `browser.command` starts, directly or through other programs.
    package enum Kind: String, Sendable, Equatable {
        /// Debian's Chromium. The command must start `/usr/lib/chromium/chromium`: `/usr/bin/chromium` turns off the
        /// installation of extensions.
        case chromium
        /// Debian's Firefox ESR.
        case firefox
    }

    package let kind: Kind
    /// The command of the worker's browser.
    let command: BrowserCommandLine
    /// The command of the sign-in window. It starts Chromium, because Firefox has no policy that blocks its own pages.
    let signInCommand: BrowserCommandLine
    /// The path of `baton-browser-host`.
    let host: String
    let brokerSocket: String
    /// Further files and folders that the windows may read.
    let readable: [String]
    /// Whether a screen reader can read the worker's browser. The sign-in window can always be read.
    let isAccessible: Bool

    static let chromium = "/usr/lib/chromium/chromium"

    /// The maximum sizes of the windows' folders in memory. A page of the sign-in window stores little; a worker
    /// downloads files.
    private static let signInMemory = Confinement.Memory(home: 256 << 20, temporary: 64 << 20, shared: 256 << 20)
    private static let workersMemory = Confinement.Memory(home: 1 << 30, temporary: 512 << 20, shared: 512 << 20)

    /// The files in which the sign-in window's browser and the worker's browser keep the names of the policies that
    /// they know.
    var policyPlaces: (signIn: PolicyPlace, workers: PolicyPlace) {
        (
            .program(file: signInCommand.browser),
            kind == .firefox ? .firefox : .program(file: command.browser)
        )
    }

    /// What the agent needs to prepare a window.
    struct Window {
        /// The window's own folder, which the browser can only read.
        let folder: Directory
        let configuration: BrowserConfiguration
        /// The origin of the identity platform's pages; nil if the broker has not named it.
        let signIn: WebOrigin?
        /// The environment of the agent's session.
        let session: [String: String]
    }

    /// A window that is ready to open.
    struct Prepared {
        /// The command that opens it.
        let words: [String]
        /// The window's policies, as they were written.
        let policies: KnownFiles
        /// The open files that the command needs.
        var files: [(Descriptor, as: Int32)] = []
    }

    /// Packs the extension of the worker's browser into a folder of the agent.
    ///
    /// - Throws: ``AgentFailure``.
    func makeExtension(in folder: Directory) throws(AgentFailure) -> BrowserExtensionPackage {
        let input = BrowserExtensionPackage.Input(
            version: BrokerVersion.current, host: host, brokerSocket: brokerSocket, addresses: [])
        do { return try BrowserExtensionPackage.make(in: folder, input) } catch let error as FileError {
            throw AgentFailure(
                .policiesUnavailable,
                "The folder of the browser's extension cannot be used (\(error)). Give only the session user access to it."
            )
        } catch { throw Self.unavailable(error) }
    }

    /// Prepares a sign-in window.
    ///
    /// - Throws: ``AgentFailure`` if the window cannot be confined or its policies cannot be put into force. In that
    ///   case the window must not open.
    func signInWindow(
        _ window: Window, _ url: LoopbackURL, leadingTo pages: [PlatformPage], page: StartPage
    ) throws(AgentFailure) -> Prepared {
        try check([])
        var confinement = Confinement(memory: Self.signInMemory)
        SessionResources(window.session).add(to: &confinement)
        show(signInCommand, window.folder, in: &confinement)
        let bus = AccessibilityBus.find(in: window.session)
        bus?.add(to: &confinement)
        var files = ChromiumFiles(window.folder)
        let guarding: WindowGuard
        do {
            guarding = try WindowGuard(in: ChromiumFiles.place, program: Confinement.runtime + "/end-window")
            let policies = ChromiumPolicies.signIn(
                window.configuration, platform: window.signIn, pages: pages, origin: url.origin, startPage: page.url,
                guarding: ChromiumExtension(id: guarding.id, updateURL: guarding.updateURL), host: WindowGuard.host)
            try files.write(policies, guarding: guarding, in: &confinement)
        } catch { throw Self.unavailable(error) }
        let options = bus == nil ? [] : [AccessibilityBus.chromiumOption]
        let arguments = signInCommand.adding(options).arguments(profile: Self.profile, page: page)
        let words = try words(confinement, for: guarding.launcher([signInCommand.program] + arguments))
        return Prepared(words: words, policies: files.written)
    }

    /// Prepares the worker's browser. The prepared command starts the browser's sandbox: see ``WorkersBrowser``.
    ///
    /// - Parameter profile: the archive of ``FirefoxProfile`` with which the browser begins; nil for an empty profile.
    /// - Throws: the errors of ``signInWindow(_:page:)``.
    func workersBrowser(
        _ window: Window, _ package: BrowserExtensionPackage, profile: Descriptor?
    ) throws(AgentFailure) -> Prepared {
        try check(kind == .firefox ? Self.firefoxNeeds : [])
        var confinement = Confinement(memory: Self.workersMemory)
        SessionResources(window.session).add(
            to: &confinement,
            for: window.configuration.allowsPrinting ? [.sound, .capture, .printing] : [.sound, .capture])
        show(command, window.folder, in: &confinement)
        for path in [package.folder, brokerSocket] { confinement.show(path) }
        if kind == .firefox {
            confinement.hide(Self.chromiumFolder)
            Self.adjustFirefox(in: &confinement)
        }
        if !VisibleSystemFiles.contain(host) { confinement.show(host) }
        let bus = isAccessible ? AccessibilityBus.find(in: window.session) : nil
        bus?.add(to: &confinement)
        let policies: KnownFiles
        do throws(FileError) { policies = try write(window, package, in: &confinement) } catch {
            throw Self.unavailable(error)
        }
        let options = bus != nil && kind == .chromium ? [AccessibilityBus.chromiumOption] : []
        let command = [command.program] + command.adding(options).pageArguments(profile: Self.profile)
        let beginning = kind == .firefox ? Self.firefoxBeginning(window.folder, unpacking: profile != nil) : ""
        let words = try words(confinement, for: WorkersBrowser.launcher(command, beginning: beginning))
        let files = [profile].compactMap(\.self).map { ($0, as: Self.archiveNumber) }
        return Prepared(words: words, policies: policies, files: files)
    }

    func words(_ confinement: Confinement, for command: [String]) throws(AgentFailure) -> [String] {
        do throws(FileError) { return try confinement.words(for: command) } catch { throw Self.unavailable(error) }
    }

    func show(_ command: BrowserCommandLine, _ folder: Directory, in confinement: inout Confinement) {
        let programs = [VisibleSystemFiles.folder(of: command.program)].compactMap(\.self)
        for path in [folder.path] + programs + readable { confinement.show(path) }
    }

    /// The folder of Chromium, which is hidden from Firefox. Firefox could start Chromium to open files of some kinds,
    /// and that Chromium would follow no policy.
    private static let chromiumFolder = "/usr/lib/chromium"

    /// The folders of the profile and of downloads inside a window's confinement.
    static let profile = Confinement.home + "/profile"
    static let downloads = Confinement.home + "/Downloads"

    // MARK: - Checks

    func check(_ needed: [String]) throws(AgentFailure) {
        do throws(ConfinementFailure) { try Confinement.check() } catch {
            throw AgentFailure(.confinementUnavailable, error.description)
        }
        for path in readable where unsafe access(path, F_OK) != 0 {
            throw AgentFailure(
                .confinementUnavailable,
                "There is no \(path), which browser.readable names. Correct the path."
            )
        }
        for path in needed where unsafe access(path, F_OK) != 0 {
            throw AgentFailure(
                .policiesUnavailable, "There is no \(path). Install dbus-daemon and the browser from Debian's packages."
            )
        }
    }

    /// - Parameter error: a ``FileError``, or an error of the cryptographic library.
    static func unavailable(_ error: any Error) -> AgentFailure {
        error is FileError
            ? AgentFailure(.policiesUnavailable, "The browser's policies cannot be written (\(error)).")
            : AgentFailure(
                .policiesUnavailable, "The window's extension cannot be signed (\(error)). Restart baton-agent.")
    }

    // MARK: - Policies

    private func write(
        _ window: Window, _ package: BrowserExtensionPackage, in confinement: inout Confinement
    ) throws(FileError) -> KnownFiles {
        let context = PolicyContext(
            downloads: Self.downloads, needed: [window.signIn?.pattern].compactMap(\.self),
            startPages: window.folder.path, singleSignOn: package.policies)
        switch kind {
        case .chromium:
            var files = ChromiumFiles(window.folder)
            try files.write(
                ChromiumPolicies.make(window.configuration, in: context), hostManifest: package.chromium.hostManifest,
                in: &confinement)
            return files.written
        case .firefox:
            return try writeFirefox(
                window.configuration, context: context, package: package, in: window.folder, for: &confinement)
        }
    }
}

extension BrowserExtensionPackage {
    /// The values that a browser's policies contain about the extension.
    var policies: BrowserExtension {
        BrowserExtension(
            chromium: ChromiumExtension(id: chromium.id, updateURL: chromium.updateURL),
            firefoxID: firefox.id, firefoxInstallURL: firefox.installURL, host: Self.hostName)
    }
}
