// SPDX-License-Identifier: Apache-2.0
internal import BrowserExtension
internal import BrowserPolicies
internal import BrowserWindows
internal import Files
internal import Glibc
internal import JSON

/// The files in a window's folder that Chromium finds in `/etc/chromium`.
struct ChromiumFiles {
    /// Where the browser sees the files.
    static let place = "/etc/chromium"
    private let root: Directory
    /// What was written, so that a change is noticed.
    private(set) var written = KnownFiles()

    init(_ folder: Directory) { root = folder.appending("chromium") }

    /// Writes the policies and the manifest of a worker's browser, and shows them to the browser.
    ///
    /// - Parameter hostManifest: the path of the native messaging host's manifest.
    mutating func write(
        _ policies: JSONValue, hostManifest: String, in confinement: inout Confinement
    ) throws(FileError) {
        try write(policies, in: &confinement)
        try HostManifest(hostManifest).copy(to: root, &written)
    }

    /// Writes the policies and the extension of a sign-in window, and shows them to the browser.
    mutating func write(
        _ policies: JSONValue, guarding: WindowGuard, in confinement: inout Confinement
    ) throws(FileError) {
        try write(policies, in: &confinement)
        try root.appending(HostManifest.folder).make()
        for (name, content) in guarding.files { try written.write(content, to: root.file(name)) }
    }

    private mutating func write(_ policies: JSONValue, in confinement: inout Confinement) throws(FileError) {
        let managed = root.appending("policies").appending("managed")
        try managed.make()
        written.close(root)
        try written.write(JSONWriter.write(policies), to: managed.file("baton.json"))
        confinement.show(root.path, at: Self.place)
    }
}

/// The files in a window's folder that Firefox finds in two folders of the system.
struct FirefoxFiles {
    /// `/usr/lib/firefox-esr/distribution` is a link to the first folder.
    static let places = ["/usr/share/firefox-esr/distribution", "/usr/lib/mozilla"]

    private let distribution: Directory
    private let mozilla: Directory
    /// What Firefox finds in `/etc/firefox`.
    private let system: Directory
    /// What was written, so that a change is noticed.
    private(set) var written = KnownFiles()

    init(_ folder: Directory) {
        (distribution, mozilla) = (folder.appending("distribution"), folder.appending("mozilla"))
        system = folder.appending("firefox")
    }

    /// Writes the files that make Firefox block its own pages and every file outside `openFolders`. Shows the written
    /// files to the browser.
    ///
    /// - Parameters:
    ///   - openFolders: the folders whose files may be opened, as absolute paths without links.
    ///   - further: further commands of the script that blocks them.
    mutating func closeInternalPages(
        openFolders: [String], further: String = "", in confinement: inout Confinement
    ) throws(FileError) {
        let preferences = system.appending(FirefoxInternalPages.preferencesFolder)
        try preferences.make()
        written.close(system)
        try written.write(
            Array(FirefoxInternalPages.preferences.utf8), to: preferences.file(FirefoxInternalPages.preferencesName))
        try written.write(
            Array((FirefoxInternalPages.script(openFolders: openFolders) + further).utf8),
            to: system.file(FirefoxInternalPages.scriptName))
        confinement.show(system.path, at: "/etc/firefox")
    }

    /// Writes each certificate to a file, because Firefox reads no certificates from the policies themselves, and
    /// returns the paths.
    mutating func write(_ authorities: [AuthorityCertificate]) throws(FileError) -> [String] {
        try distribution.make()
        var paths: [String] = []
        for (number, authority) in authorities.enumerated() {
            let name = "authority-\(number).der"
            try written.write(authority.der, to: distribution.file(name))
            paths.append(Self.places[0] + "/" + name)
        }
        return paths
    }

    /// Does the same as ``ChromiumFiles/write(_:hostManifest:in:)``.
    mutating func write(
        _ policies: JSONValue, hostManifest: String, in confinement: inout Confinement
    ) throws(FileError) {
        try distribution.make()
        for folder in [distribution, mozilla] { written.close(folder) }
        try written.write(JSONWriter.write(policies), to: distribution.file("policies.json"))
        try HostManifest(hostManifest).copy(to: mozilla, &written)
        for (folder, place) in zip([distribution, mozilla], Self.places) { confinement.show(folder.path, at: place) }
    }
}

/// The manifest of the native messaging host, which both browsers find under the same name.
private struct HostManifest {
    static let folder = "native-messaging-hosts"
    let path: String

    init(_ path: String) { self.path = path }

    func copy(to folder: Directory, _ written: inout KnownFiles) throws(FileError) {
        guard let content = try AtomicFile(path: path).read(limit: 64 << 10) else {
            throw FileError(.read, errno: ENOENT, path: path)
        }
        let hosts = folder.appending(Self.folder)
        try hosts.make()
        try written.write(content, to: hosts.file(BrowserExtensionPackage.hostName + ".json"))
    }
}
