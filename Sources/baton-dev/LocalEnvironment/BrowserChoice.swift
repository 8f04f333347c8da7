// SPDX-License-Identifier: Apache-2.0
import BrowserPolicies
import BrowserWindows
import CommandLineInterface
import Crypto
import FoundationEssentials
import Glibc
import Processes
import SwiftASN1
import X509

/// Which browser an environment's agent starts: a window for a person, or a program that acts as a person.
enum BrowserChoice: Sendable {
    /// A Chromium window on this machine's screen.
    case window
    /// A program that acts as the person named in the environment's `configuration/person.json`; see `Tests/Person`.
    case person(program: String)

    /// Whether a sign-in can be shown. A program that acts as a person needs no screen.
    var hasScreen: Bool {
        guard case .window = self else { return true }
        let environment = ProcessInfo.processInfo.environment
        return ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
    }

    /// Refuses a machine that has a screen but cannot confine a window on it.
    ///
    /// - Throws: ``CommandFailure``
    func check() async throws {
        if case .person(let program) = self { try await Self.check(person: program) }
        guard case .window = self, hasScreen else { return }
        let obstacle = await InstalledPolicies().obstacle(
            ChromiumPolicies.names.needed, in: .program(file: Self.chromium))
        guard let obstacle else { return }
        let code = obstacle is ConfinementFailure ? "browser_not_confined" : obstacle.code
        throw CommandFailure(code: code, message: obstacle.cause, remedy: obstacle.remedy)
    }

    /// Refuses a file that cannot be a program that acts as a person.
    ///
    /// - Throws: ``CommandFailure``
    static func check(person program: String) async throws {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: program, isDirectory: &isFolder), !isFolder,
            FileManager.default.isReadableFile(atPath: program)
        else {
            throw CommandFailure(
                code: "person_missing", message: "\(program) is not a program that acts as a person.",
                remedy: "Give the path of Tests/Person/person.py, or of a Python program that is called like it.")
        }
        guard (try? await isPython(program)) == true else {
            throw CommandFailure(
                code: "person_unsuitable", message: "\(program) is not a program that \(python) can run.",
                remedy: "Give the path of Tests/Person/person.py, or of a Python program that is called like it.")
        }
    }

    /// Debian's Chromium. Its wrapper script is not used, because it turns off the installation of extensions.
    private static let chromium = "/usr/lib/chromium/chromium"
    private static let python = "/usr/bin/python3"

    /// Whether Python can compile a program. The program is not run.
    private static func isPython(_ program: String) async throws -> Bool {
        let script = "import sys; compile(open(sys.argv[1], 'rb').read(), 'person', 'exec', dont_inherit=True)"
        return try await blocking {
            let reader = try ChildProcess.spawn(
                executable: python, arguments: ["-c", script, program], environment: [:], output: .discarded)
            return try reader.waitForExit() == .exited(0)
        }
    }

    /// `browser.command` of the agent's configuration.
    func command(_ layout: EnvironmentLayout) throws -> [String] {
        switch self {
        case .window:
            [Self.chromium, "--user-data-dir={profile}", "--no-first-run", "--app={url}"] + (try Self.options(layout))
        case .person(let program):
            [Self.python, program, "--person", layout.person, "--log", layout.logs + "/person.log"]
                + ["--profile", "{profile}"] + (try Self.options(layout)) + ["{url}"]
        }
    }

    /// The options that Chromium needs to reach and trust this environment's server.
    private static func options(_ layout: EnvironmentLayout) throws -> [String] {
        [
            "--password-store=basic", "--host-resolver-rules=MAP *.baton.test 127.0.0.1",
            "--ignore-certificate-errors-spki-list=\(try keyPin(of: layout.serverCertificate))",
        ] + (geteuid() == 0 ? ["--no-sandbox"] : [])
    }

    /// Returns the base64 of the SHA-256 of the certificate's public key.
    private static func keyPin(of file: String) throws -> String {
        let certificate = try Certificate(pemEncoded: String(contentsOf: URL(filePath: file), encoding: .utf8))
        return Data(SHA256.hash(data: try certificate.publicKey.serializeAsPEM().derBytes)).base64EncodedString()
    }
}
