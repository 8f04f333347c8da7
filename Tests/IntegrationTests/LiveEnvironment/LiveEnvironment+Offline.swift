// SPDX-License-Identifier: Apache-2.0
import Foundation
import MSAL
import TestSupport

/// Signing in without the server.
extension LiveEnvironment {
    var leases: [String] {
        get throws { try names(in: "device/offline").filter { $0.hasSuffix(".lease") } }
    }

    /// Enables offline sign-in, with three attempts unless `words` set another number.
    func allowOffline(_ words: [String] = []) async throws {
        let attempts = words.contains("--attempts") ? [] : ["--attempts", "3"]
        try await administer(["offline", "on"] + attempts + words)
    }

    /// Disables offline sign-in. Every device is notified.
    func forbidOffline() async throws {
        try await administer("offline", "off")
        try await holdsLeases(0)
    }

    /// Waits until the device holds `count` leases.
    func holdsLeases(_ count: Int) async throws {
        let folder = path("device/offline")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        // The device may have to reopen its push channel first, with pauses of up to a minute between attempts.
        var rounds = 4
        while true {
            do {
                return try await FolderWatch(folder).until("\(count) leases") {
                    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
                    return count == 0 ? names.isEmpty : names.filter { $0.hasSuffix(".lease") }.count == count
                }
            } catch {
                rounds -= 1
                guard rounds > 0 else { throw error }
            }
        }
    }

    /// Waits until the device holds one lease that differs from the former lease.
    func hasRenewed(_ former: [String]) async throws {
        try await FolderWatch(path("device/offline")).until("another lease") { [self] in
            let present = try leases
            return present.count == 1 && present != former
        }
    }

    /// A person signs in with the server and signs out; the device then holds their lease.
    func leaveWithLease(_ givenName: String, _ app: App) async throws -> MSALAccount {
        let account = try await signIn(givenName, through: app)
        try await holdsLeases(1)
        try await app.signOut(account)
        try await settle()
        return account
    }

    /// Puts a person in front of the device. The person types `password` instead of their own password, and `pin` if
    /// asked for a PIN.
    func seat(_ givenName: String, password: String? = nil, pin: String?, mistypes: Bool = false) throws {
        let person = try person(givenName)
        var seated: [String: Any] = ["username": person.userName, "password": password ?? person.password]
        seated["pin"] = pin
        seated["mistypesPIN"] = mistypes
        try seat(seated)
    }
}
