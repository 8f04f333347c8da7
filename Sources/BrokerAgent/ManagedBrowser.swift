// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrowserExtension
internal import BrowserPolicies
internal import Files
internal import Glibc
internal import JSON

/// A browser that the agent configures with the device's policies and with the extension that signs the worker in.
///
/// The policies are files in the epoch's profile. The browser runs in its own mount namespace (`bwrap`, bubblewrap), in
/// which these files appear, read-only, where the browser looks for them. This needs no privileges, and no other
/// program sees the files there.
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
    /// The path of `baton-browser-host`.
    let host: String
    let brokerSocket: String

    private static let sandbox = "/usr/bin/bwrap"
    private static let bus = "/usr/bin/dbus-daemon"
    private static let chromium = "/usr/lib/chromium/chromium"

    /// Packs the extension into a folder of the agent. Blocks for about a second the first time.
    ///
    /// - Throws: ``AgentFailure``.
    func makeExtension(in folder: Directory) throws(AgentFailure) -> BrowserExtensionPackage {
        let input = BrowserExtensionPackage.Input(
            version: BrokerVersion.current, host: host, brokerSocket: brokerSocket, addresses: [],
            chromium: kind == .chromium ? Self.chromium : nil)
        do throws(PackingFailure) { return try BrowserExtensionPackage.make(in: folder, input) } catch {
            throw AgentFailure(.policiesUnavailable, error.description)
        }
    }

    /// Writes the policies into the profile.
    ///
    /// - Parameter temporary: the browser's folder for temporary files.
    /// - Returns: the words that are put before a command so that the command runs with these policies in force.
    /// - Throws: ``AgentFailure`` if the policies cannot be put in force. In that case the browser must not start.
    func wrapper(
        for profile: BrowserProfile, in temporary: Directory, _ configuration: BrowserConfiguration,
        signIn: AddressPattern?, _ package: BrowserExtensionPackage
    ) throws(AgentFailure) -> [String] {
        let places = PolicyFolders(kind)
        let programs = [Self.sandbox] + (kind == .firefox ? [Self.bus] : [])
        for path in programs + places.all where unsafe access(path, F_OK) != 0 {
            throw AgentFailure(
                .policiesUnavailable,
                "There is no \(path). Install bubblewrap, dbus-daemon and the browser from Debian's packages.")
        }
        let folder = profile.folder.appending("policies")
        do throws(FileError) {
            let context = try context(for: profile, configuration, signIn: signIn, package: package, in: folder)
            try write(configuration, in: context, package: package, to: folder)
            if kind == .firefox {
                try folder.file(Self.busFile).replace(with: Array(Self.busConfiguration(in: temporary).utf8))
            }
        } catch {
            throw AgentFailure(.policiesUnavailable, "The browser's policies cannot be written (\(error)).")
        }
        return [Self.sandbox, "--dev-bind", "/", "/"]
            + places.all.flatMap { ["--ro-bind", folder.path + "/" + PolicyFolders.name(of: $0), $0] } + ["--"]
            + (kind == .firefox ? Self.throughBus(folder.file(Self.busFile).path, in: temporary) : [])
    }

    // MARK: Firefox's message bus

    private static let busFile = "bus.conf"

    private static func busSocket(in temporary: Directory) -> String { temporary.path + "/bus" }

    /// Returns the configuration of the browser's own message bus (dbus-daemon(1)).
    ///
    /// A second process of Firefox passes its page to the first process over a message bus. Over the session's bus, the
    /// browser could reach programs outside its profile. The browser therefore has its own bus, which starts no
    /// services.
    private static func busConfiguration(in temporary: Directory) -> String {
        """
        <busconfig>
          <type>session</type>
          <listen>unix:path=\(busSocket(in: temporary))</listen>
          <auth>EXTERNAL</auth>
          <policy context="default">
            <allow send_destination="*"/>
            <allow receive_sender="*"/>
            <allow own="*"/>
          </policy>
        </busconfig>
        """
    }

    /// Returns the words that are put before a command so that the command uses that bus. These words start the bus
    /// first, unless the bus's socket exists.
    private static func throughBus(_ configuration: String, in temporary: Directory) -> [String] {
        let script =
            #"[ -S "$2" ] || "$0" --config-file="$1" --fork; export DBUS_SESSION_BUS_ADDRESS="unix:path=$2"; shift 2; exec "$@""#
        return ["/bin/sh", "-c", script, bus, configuration, busSocket(in: temporary)]
    }

    private func context(
        for profile: BrowserProfile, _ configuration: BrowserConfiguration, signIn: AddressPattern?,
        package: BrowserExtensionPackage, in folder: Directory
    ) throws(FileError) -> PolicyContext {
        try folder.make()
        var files: [String] = []
        // Only Firefox needs files: Chromium's policy contains the authorities' certificates themselves.
        for (number, authority) in configuration.authorities.enumerated() where kind == .firefox {
            let file = folder.file("authority-\(number).der")
            try file.replace(with: authority.der)
            files.append(folder.path + "/authority-\(number).der")
        }
        let own = try? AddressPattern("http://127.0.0.1")
        return PolicyContext(
            downloads: profile.home.path + "/Downloads", authorityFiles: files,
            needed: [signIn, own].compactMap(\.self),
            startPages: profile.folder.path,
            singleSignOn: BrowserExtension(
                chromiumID: package.chromium?.id ?? "", chromiumUpdateURL: package.chromium?.updateURL ?? "",
                firefoxID: package.firefox.id, firefoxInstallURL: package.firefox.installURL,
                host: BrowserExtensionPackage.hostName))
    }

    private func write(
        _ configuration: BrowserConfiguration, in context: PolicyContext, package: BrowserExtensionPackage,
        to folder: Directory
    ) throws(FileError) {
        let hostFile = BrowserExtensionPackage.hostName + ".json"
        switch kind {
        case .chromium:
            let root = folder.appending(PolicyFolders.name(of: PolicyFolders.chromium))
            let (policies, hosts) = (
                root.appending("policies").appending("managed"), root.appending("native-messaging-hosts")
            )
            for directory in [policies, hosts] { try directory.make() }
            try policies.file("baton.json").replace(
                with: JSONWriter.write(ChromiumPolicies.make(configuration, in: context)))
            if let manifest = package.chromium?.hostManifest { try copy(manifest, to: hosts.file(hostFile)) }
        case .firefox:
            let policies = folder.appending(PolicyFolders.name(of: PolicyFolders.firefox))
            let hosts = folder.appending(PolicyFolders.name(of: PolicyFolders.mozilla)).appending(
                "native-messaging-hosts")
            for directory in [policies, hosts] { try directory.make() }
            try policies.file("policies.json").replace(
                with: JSONWriter.write(FirefoxPolicies.make(configuration, in: context)))
            try copy(package.firefox.hostManifest, to: hosts.file(hostFile))
        }
    }

    private func copy(_ path: String, to file: AtomicFile) throws(FileError) {
        guard let content = try AtomicFile(path: path).read(limit: 64 << 10) else {
            throw FileError(.read, errno: ENOENT, path: path)
        }
        try file.replace(with: content)
    }

    /// The folders in which browsers look for policies and native messaging hosts.
    private struct PolicyFolders {
        static let chromium = "/etc/chromium"
        /// `/usr/lib/firefox-esr/distribution` is a link to this folder.
        static let firefox = "/usr/share/firefox-esr/distribution"
        static let mozilla = "/usr/lib/mozilla"

        let all: [String]

        init(_ kind: Kind) {
            all = kind == .chromium ? [Self.chromium] : [Self.firefox, Self.mozilla]
        }

        /// Returns the name of the folder in the profile that is mounted at `place`.
        static func name(of place: String) -> String {
            String(place.dropFirst().map { $0 == "/" ? "-" : $0 })
        }
    }
}
