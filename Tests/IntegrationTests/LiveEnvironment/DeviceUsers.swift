// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TestSupport

/// The Unix users of a device's programs, as packages set them up: one for the broker, one for the graphical session.
///
/// The server runs as the tests' own user, which must be root to start programs as other users.
struct DeviceUsers: Sendable {
    let broker: UInt32
    let session: UInt32

    /// Separate users, if the tests' user can start programs as other users.
    static var separate: DeviceUsers? { geteuid() == 0 ? DeviceUsers(broker: 64_001, session: 64_002) : nil }

    func user(of program: LiveEnvironment.Program) -> UInt32? {
        switch program {
        case .broker: broker
        case .agent: session
        case .server: nil
        }
    }

    /// Gives the device's files to the device's users. `baton-dev up` has created the files as the tests' own user.
    func own(root: String, in scratch: Scratch) throws {
        let run = root + "/run"
        for folder in [scratch.path, root, run, root + "/configuration"] { try change(mode: 0o711, of: folder) }
        for folder in ["device", "public", "run"] { try giveAll(root + "/" + folder, to: broker) }
        for folder in ["run/profiles", "logs"] { try giveAll(root + "/" + folder, to: session) }
        try change(mode: 0o755, of: run)
        try change(mode: 0o755, of: root + "/public")
        try FileManager.default.copyItem(atPath: root + "/server/ca/root.pem", toPath: root + "/public/root.pem")
        try change(mode: 0o644, of: root + "/public/root.pem")
        let file = root + "/configuration/batond.json"
        var configuration = try textOfFile(file)
        configuration = configuration.replacing(root + "/server/ca/root.pem", with: root + "/public/root.pem")
        configuration = configuration.replacing("{", with: "{\n  \"sessionUsers\" : [\(session)],", maxReplacements: 1)
        try configuration.write(toFile: file, atomically: false, encoding: .utf8)
        try give(file, toUserOf: .broker)
        try give(root + "/configuration/baton-agent.json", toUserOf: .agent)
    }

    /// Changes a file's owner to the user of a program.
    func give(_ path: String, toUserOf program: LiveEnvironment.Program) throws {
        guard let user = user(of: program) else { return }
        guard unsafe chown(path, user, user) == 0 else { throw TestProblem("chown \(path): error \(errno)") }
        try change(mode: 0o600, of: path)
    }

    /// The command that starts a program as its own user; empty if that is the tests' user.
    func entrance(of program: LiveEnvironment.Program) -> [String] {
        guard let user = user(of: program) else { return [] }
        return ["/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "--"]
    }

    /// A copy of the program that these users can reach, wherever the package was built.
    func file(of program: LiveEnvironment.Program, in scratch: Scratch) throws -> String? {
        guard user(of: program) != nil else { return nil }
        return try copy(RunningProgram.built(program.rawValue), to: program.rawValue, in: scratch)
    }

    /// A copy of the native messaging host of the worker's browser.
    func browserHost(in scratch: Scratch) throws -> String {
        try copy(RunningProgram.built("baton-browser-host"), to: "baton-browser-host", in: scratch)
    }

    /// A copy of the program that acts as the person at the browser.
    func person(in scratch: Scratch) throws -> String {
        // Python finds a module only in a folder that it may list.
        let folder = scratch.path("person")
        guard unsafe mkdir(folder, 0o755) == 0 || errno == EEXIST else { throw TestProblem("mkdir: error \(errno)") }
        for name in ["forms.py", "browser.py"] {
            _ = try copy(Repository.root + "/Tests/Person/" + name, to: "person/" + name, in: scratch)
        }
        return try copy(Repository.root + "/Tests/Person/person.py", to: "person/person.py", in: scratch)
    }

    /// A service manager that a program of another user can notify.
    func serviceManager(for program: LiveEnvironment.Program, in scratch: Scratch) throws -> ServiceManager? {
        guard user(of: program) != nil else { return nil }
        let manager = try ServiceManager(in: scratch)
        try change(mode: 0o666, of: manager.socketPath)
        return manager
    }

    private func copy(_ file: String, to name: String, in scratch: Scratch) throws -> String {
        let copy = scratch.path(name)
        // Makes a hard link if both files are on one disk; otherwise makes a copy.
        guard !FileManager.default.fileExists(atPath: copy), unsafe link(file, copy) != 0 else { return copy }
        try FileManager.default.copyItem(atPath: file, toPath: copy)
        return copy
    }

    private func giveAll(_ folder: String, to user: UInt32) throws {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
        for path in [folder] + names.map({ folder + "/" + $0 }) {
            guard unsafe lchown(path, user, user) == 0 else { throw TestProblem("chown \(path): error \(errno)") }
        }
    }

    private func change(mode: UInt32, of path: String) throws {
        guard unsafe chmod(path, mode) == 0 else { throw TestProblem("chmod \(path): error \(errno)") }
    }
}
