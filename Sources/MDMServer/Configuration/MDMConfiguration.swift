// SPDX-License-Identifier: Apache-2.0
internal import Glibc
package import Storage

/// The configuration of the device management server.
package struct MDMConfiguration: Sendable {
    /// `https://<name>[:<port>]` of the devices' listener, without a trailing slash.
    package var baseURL: String
    /// DER of the root certificate of the listener's certificate chain; enrolled devices trust it.
    package var trustRoot: [UInt8]
    /// The folder of the app packages; created if missing. Several nodes may share it.
    package var packageDirectory: String
    /// Whether the app packages are in the database. If so, the packages in ``packageDirectory`` are copied to the
    /// database at the start.
    package var arePackagesInDatabase: Bool
    /// How long a device's identity is valid after its creation. When a third of that time is left, the device gets a
    /// new identity.
    package var identityLifetime: Duration
    /// How long an enrollment profile remains usable before its first use.
    package var profileLifetime: Duration
    /// The maximum number of commands that may wait for one device.
    package var maximumQueue: Int
    /// How many of a device's finished commands are kept.
    package var history: Int
    /// How long the audit log keeps its lines.
    package var auditRetention: Duration
    /// How long a finished command is kept.
    package var commandRetention: Duration

    package init(
        baseURL: String, trustRoot: [UInt8], packageDirectory: String, arePackagesInDatabase: Bool = false,
        identityLifetime: Duration = .seconds(397 * 86_400), profileLifetime: Duration = .seconds(7 * 86_400),
        maximumQueue: Int = 1_000, history: Int = 200, auditRetention: Duration = .seconds(400 * 86_400),
        commandRetention: Duration = .seconds(400 * 86_400)
    ) {
        self.baseURL = baseURL
        self.trustRoot = trustRoot
        self.packageDirectory = packageDirectory
        self.arePackagesInDatabase = arePackagesInDatabase
        self.identityLifetime = identityLifetime
        self.profileLifetime = profileLifetime
        self.maximumQueue = maximumQueue
        self.history = history
        self.auditRetention = auditRetention
        self.commandRetention = commandRetention
    }
}

/// The server's clock, randomness and disk synchronisation, which tests can replace.
package struct MDMSources: Sendable {
    /// The current time.
    package let now: @Sendable () -> Timestamp
    /// Returns the requested number of unpredictable bytes.
    package let random: @Sendable (Int) -> [UInt8]
    /// Writes a folder's entries to the disk (`fsync(2)`). Blocks.
    package let sync: @Sendable (_ folder: String) throws -> Void

    package init(
        now: @escaping @Sendable () -> Timestamp, random: @escaping @Sendable (Int) -> [UInt8],
        sync: @escaping @Sendable (_ folder: String) throws -> Void
    ) {
        self.now = now
        self.random = random
        self.sync = sync
    }

    /// Returns a random (version 4) UUID in upper case.
    func uuid() -> String {
        var bytes = random(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array("0123456789ABCDEF")
        return bytes.enumerated().reduce(into: "") { text, byte in
            if [4, 6, 8, 10].contains(byte.offset) { text.append("-") }
            text.append(digits[Int(byte.element >> 4)])
            text.append(digits[Int(byte.element & 15)])
        }
    }
}

extension MDMSources {
    /// The machine's clock, the kernel's randomness and the real disk.
    package static let system = MDMSources(
        now: { .now },
        random: { count in
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        },
        sync: { folder in
            let number = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard number >= 0 else { throw FolderNotSynced(errno: errno) }
            defer { _ = close(number) }
            guard fsync(number) == 0 else { throw FolderNotSynced(errno: errno) }
        })
}

/// The folder's entries may not be on the disk.
private struct FolderNotSynced: Error {
    let errno: Int32
}
