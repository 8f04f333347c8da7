// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrowserExtension
internal import BrowserPolicies
internal import BrowserWindows
internal import Files
internal import Glibc

/// What only Firefox needs: a message bus of its own, and a profile with which it has been started before.
extension ManagedBrowser {
    private static let bus = "/usr/bin/dbus-daemon"

    /// Files without which a worker's Firefox does not open.
    static var firefoxNeeds: [String] { [bus] + FirefoxFiles.places }

    /// Firefox's own sandboxes, within its confinement.
    private static let sandboxes = ["CONTENT", "GMP", "RDD", "SOCKET_PROCESS", "UTILITY"]

    /// Lets Firefox run as root, too. Root has no capability within the confinement and may not map itself to a user
    /// (user_namespaces(7)), so Firefox's own sandboxes would fail, and so would each page.
    static func adjustFirefox(in confinement: inout Confinement) {
        guard geteuid() == 0 else { return }
        for sandbox in sandboxes { confinement.set("MOZ_DISABLE_\(sandbox)_SANDBOX", "1") }
    }

    /// Writes the policies, the script for Firefox's own pages and the configuration of Firefox's message bus.
    ///
    /// - Parameter script: further commands of the script.
    func writeFirefox(
        _ configuration: BrowserConfiguration, context: PolicyContext, package: BrowserExtensionPackage,
        script: String = "", in folder: Directory, for confinement: inout Confinement
    ) throws(FileError) -> KnownFiles {
        var context = context
        var files = FirefoxFiles(folder)
        context.authorityFiles = try files.write(configuration.authorities)
        try files.write(
            FirefoxPolicies.make(configuration, in: context), hostManifest: package.firefox.hostManifest,
            in: &confinement)
        try files.closeInternalPages(
            openFolders: [folder.path, Self.downloads], further: script, in: &confinement)
        var written = files.written
        try written.write(Array(Self.busConfiguration.utf8), to: folder.file(Self.busFile))
        return written
    }

    // MARK: - The profile

    private static let firstStartMemory = Confinement.Memory(home: 256 << 20, temporary: 64 << 20, shared: 256 << 20)
    /// The descriptor to which the first start writes the profile, and from which a window reads it.
    static let archiveNumber: Int32 = 9

    /// Starts the browser, waits until it has ended by itself, and writes the profile as an archive (tar(1)).
    private static let firstStartScript = """
        profile=$1
        shift
        mkdir "$profile" && timeout --kill-after=5 60 "$@" </dev/null \(archiveNumber)>&- && cd "$profile" || exit 1
        rm -f lock .parentlock
        exec tar --create --format=posix --file=- . >&\(archiveNumber)
        """

    /// Prepares the first start of Firefox, without a worker, a screen, the network or anything that the organisation
    /// has configured: a certificate authority that the organisation removes later must not stay in the profile.
    ///
    /// - Parameter folder: a separate folder for the policies of this start.
    /// - Throws: the errors of ``workersBrowser(_:_:profile:)``.
    func firstStart(in folder: Directory, _ package: BrowserExtensionPackage) throws(AgentFailure) -> Prepared {
        try check(Self.firefoxNeeds)
        var confinement = Confinement(memory: Self.firstStartMemory, hasNetwork: false)
        show(command, folder, in: &confinement)
        Self.adjustFirefox(in: &confinement)
        confinement.show(package.folder)
        confinement.set("MOZ_HEADLESS", "1")
        let context = PolicyContext(
            downloads: Self.downloads, startPages: folder.path, singleSignOn: package.policies)
        let policies: KnownFiles
        do throws(FileError) {
            policies = try writeFirefox(
                .standard, context: context, package: package, script: FirefoxInternalPages.endOfFirstStart, in: folder,
                for: &confinement)
        } catch { throw Self.unavailable(error) }
        let browser = command.pageArguments(profile: Self.profile).map { $0 == "{url}" ? "about:blank" : $0 }
        let script = Self.busBeginning(folder) + Self.firstStartScript
        let words = ["/bin/sh", "-c", script, "sh", Self.profile, command.program] + browser
        return Prepared(words: try self.words(confinement, for: words), policies: policies)
    }

    /// Returns the shell commands that run before the first page: they make or unpack the profile, and start the bus.
    ///
    /// Firefox shows no page if the profile's folder does not exist.
    static func firefoxBeginning(_ folder: Directory, unpacking: Bool) -> String {
        let unpacked = """
            tar --extract --file=- --directory=\(profile) <&\(archiveNumber) || { rm -rf \(profile); mkdir \(profile); }
            exec \(archiveNumber)<&-

            """
        return "mkdir \(profile)\n" + (unpacking ? unpacked : "") + busBeginning(folder)
    }

    // MARK: - The message bus

    private static let busFile = "bus.conf"
    private static let busSocket = Confinement.runtime + "/bus"

    /// The configuration of the browser's own message bus (dbus-daemon(1)).
    ///
    /// A second process of Firefox passes its page to the first process over a message bus. Over the session's bus, the
    /// browser could reach programs outside its confinement. The browser therefore has its own bus, which starts no
    /// services.
    private static let busConfiguration = """
        <busconfig>
          <type>session</type>
          <listen>unix:path=\(busSocket)</listen>
          <auth>EXTERNAL</auth>
          <policy context="default">
            <allow send_destination="*"/>
            <allow receive_sender="*"/>
            <allow own="*"/>
          </policy>
        </busconfig>
        """

    /// Returns the shell command that starts that bus.
    private static func busBeginning(_ folder: Directory) -> String {
        let path = (folder.path + "/" + busFile).replacing("'", with: "'\\''")
        return """
            \(bus) --config-file='\(path)' --fork \(archiveNumber)>&-
            export DBUS_SESSION_BUS_ADDRESS='unix:path=\(busSocket)'

            """
    }
}
