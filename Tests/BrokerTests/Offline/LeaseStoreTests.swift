// SPDX-License-Identifier: Apache-2.0
import BrokerSession
import Crypto
import CryptoExtras
import DeviceKeyStore
import Files
import Foundation
import Logging
import OAuth
import Redaction
import Synchronization
import Testing

/// A device with offline leases in a real folder and a clock that the test sets.
final class LeaseShelf: Sendable {
    let directory: Directory
    let moment = Mutex(OfflineMoment(wall: 1_000_000, sinceBoot: 100, boot: "a"))
    let signer = P256.Signing.PrivateKey()

    init(_ directory: Directory) { self.directory = directory }

    /// Returns a store as a new process opens it.
    func store(key: UInt8 = 7) throws -> LeaseStore {
        let keys = Directory(path: directory.path + "-keys-\(key)")
        try keys.make(mode: 0o700)
        try keys.file("sealing.key").replace(with: [UInt8](repeating: key, count: 32), mode: 0o600)
        return LeaseStore(
            directory: directory, seal: try DeviceSeal(in: KeyStore(directory: keys, platform: nil)),
            now: { [self] in moment.withLock(\.self) }, logger: Logger(label: "test"))
    }

    func attempt(
        _ name: String, _ secret: String, _ platform: (any TrustedPlatform)? = nil
    ) throws -> OfflineAuthenticator.Finding {
        try OfflineAuthenticator(store: store(), device: LeaseShelf.device, platform: platform).judge(
            name: name, secret: SecretBytes(copying: secret.utf8))
    }

    /// Sets a worker's PIN.
    func set(_ pin: String, of name: String, _ platform: (any TrustedPlatform)?) throws {
        let held = try #require(try store().look().leases.first { $0.lease.person.userName == name })
        try store().setPIN(OfflinePIN(SecretBytes(copying: pin.utf8), platform: platform, logarithm: 4), of: held)
    }

    static func with(_ body: (LeaseShelf) throws -> Void) throws {
        let folder = Directory(path: FileManager.default.temporaryDirectory.path + "/baton-" + UUID().uuidString)
        defer { #expect(throws: Never.self) { try folder.removeTree() } }
        try body(LeaseShelf(folder.appending("offline")))
    }

    func pass(_ seconds: Int) {
        moment.withLock {
            $0 = OfflineMoment(wall: $0.wall + seconds, sinceBoot: $0.sinceBoot + seconds, boot: $0.boot)
        }
    }

    static let device = "0af3c2b1-0000-4000-8000-00000000000d"
    static let tenant = "0af3c2b1-0000-4000-8000-00000000000e"
    static func id(_ number: Int) -> String {
        "0af3c2b1-0000-4000-8000-0000000000" + (number < 10 ? "0" : "") + "\(number)"
    }

    /// Grants a lease, as the server does.
    @discardableResult
    func give(
        _ number: Int, to name: String = "amara", password: String = "correct horse", attempts: Int = 3,
        device: String = device, credentials: Set<OfflineLease.Credential> = [.password],
        keeping good: Set<String> = [], signer: P256.Signing.PrivateKey? = nil
    ) throws -> String {
        let now = moment.withLock(\.wall)
        let salt = [UInt8](repeating: 3, count: 16)
        let digest = try KDF.Scrypt.deriveKey(
            from: Array(password.utf8), salt: salt, outputByteCount: 32, rounds: 16, blockSize: 8, parallelism: 1)
        let lease = OfflineLease(
            id: Self.id(number), tenant: Self.tenant, device: device,
            person: .init(id: "id of \(name)", userName: name, displayName: name, givenName: nil, familyName: nil),
            issued: now, ends: now + 3600, limits: .init(poweredSeconds: 3600, boots: 1, attempts: attempts),
            credentials: credentials,
            password: OfflinePassword(
                logarithm: 4, blockSize: 8, parallelism: 1, salt: salt,
                digest: unsafe digest.withUnsafeBytes { unsafe Array($0) },
                binding: [UInt8](repeating: 9, count: OfflinePassword.bindingLength)),
            receiptSubjects: ["p1.one", "p1.two"])
        let token = try lease.signed(with: .p256(signer ?? self.signer), keyID: "key")
        try take(token, keeping: good)
        return token
    }

    /// Stores a new lease on the device.
    func take(_ token: String, keeping good: Set<String> = []) throws {
        try store().follow(
            OfflineAnswer(time: moment.withLock(\.wall), good: good, lease: token), asked: try store().ids(),
            key: try JSONWebKey(.p256(signer.publicKey)), device: Self.device, tenant: Self.tenant)
    }

    func receive(good: Set<String>, time: Int? = nil) throws {
        try store().follow(
            OfflineAnswer(time: time ?? moment.withLock(\.wall), good: good, lease: nil), asked: try store().ids(),
            key: nil, device: Self.device, tenant: Self.tenant)
    }
}

extension OfflineAuthenticator.Finding {
    var name: String? {
        guard case .known(let held) = self else { return nil }
        return held.lease.person.userName
    }
}

@Suite struct LeaseStoreTests {
    @Test func `a worker is identified only by their password and their name, in any letter case`()
        throws
    {
        try withShelf { shelf in
            try shelf.give(1)
            #expect(try shelf.attempt("AMARA", "correct horse").name == "amara")
            #expect(try shelf.attempt("amara", "correct hors") == .wrong)
            #expect(try shelf.attempt("bo", "correct horse") == .wrong)
        }
    }

    @Test func `an attempt under an unknown name rewrites a lease, as any other attempt does`() throws {
        try withShelf { shelf in
            try shelf.give(1)
            let file = shelf.directory.file(LeaseShelf.id(1) + ".lease")
            let before = try #require(try file.read())
            #expect(try shelf.attempt("nobody", "correct horse") == .wrong)
            let after = try #require(try file.read())
            #expect(after.count == before.count && after != before)
        }
    }

    @Test func `an attempt is counted on disk before it is checked, and the last wrong one erases the lease`() throws {
        try withShelf { shelf in
            try shelf.give(1)
            // Two processes die between counting the attempt and checking the PIN.
            for _ in 0..<2 {
                let held = try #require(try shelf.store().look().leases.first)
                #expect(try shelf.store().charge(held) != nil)
            }
            #expect(try shelf.store().ids().count == 1)
            #expect(try shelf.attempt("amara", "wrong") == .wrong)
            #expect(try shelf.directory.names() == [])
            #expect(try shelf.attempt("amara", "correct horse") == .wrong)
        }
    }

    @Test func `a lease whose last attempt was never checked is gone at the next read`() throws {
        try withShelf { shelf in
            try shelf.give(1, attempts: 1)
            let held = try #require(try shelf.store().look().leases.first)
            #expect(try shelf.store().charge(held) != nil)
            #expect(try shelf.attempt("amara", "correct horse") == .wrong)
            #expect(try shelf.directory.names() == [])
        }
    }

    @Test func `a correct attempt resets the count, and each sign-in has another name in receipts`() throws {
        try withShelf { shelf in
            try shelf.give(1)
            var subjects: [String?] = []
            for _ in 0..<3 {
                for _ in 0..<2 { #expect(try shelf.attempt("amara", "wrong") == .wrong) }
                guard case .known(let held) = try shelf.attempt("amara", "correct horse") else {
                    Issue.record("not known")
                    return
                }
                subjects.append(held.nextSubject)
            }
            #expect(subjects == ["p1.one", "p1.two", "p1.one"])
        }
    }

    @Test func `wrong attempts of one worker do not count against another`() throws {
        try withShelf { shelf in
            try shelf.give(1)
            try shelf.give(2, to: "bo", keeping: [LeaseShelf.id(1)])
            for _ in 0..<5 { #expect(try shelf.attempt("nobody", "wrong") == .wrong) }
            for _ in 0..<3 { #expect(try shelf.attempt("amara", "wrong") == .wrong) }
            #expect(try shelf.attempt("amara", "correct horse") == .wrong)
            #expect(try shelf.attempt("bo", "correct horse").name == "bo")
        }
    }

    @Test func `a lease that has ended is erased from the disk`() throws {
        try withShelf { shelf in
            try shelf.give(1)
            shelf.pass(3599)
            #expect(try shelf.store().look().leases.count == 1)
            shelf.pass(1)
            #expect(try shelf.attempt("amara", "correct horse") == .wrong)
            #expect(try shelf.directory.names() == [])
        }
    }

    @Test func `after the clock was set back nobody signs in until the server answers`() throws {
        try withShelf { shelf in
            try shelf.give(1)
            shelf.moment.withLock { $0 = OfflineMoment(wall: $0.wall - 1000, sinceBoot: $0.sinceBoot + 1, boot: "a") }
            #expect(try shelf.attempt("amara", "correct horse") == .clockSetBack)
            shelf.pass(1500)
            #expect(try shelf.attempt("amara", "correct horse") == .clockSetBack)
            try shelf.receive(good: [LeaseShelf.id(1)])
            #expect(try shelf.attempt("amara", "correct horse").name == "amara")
        }
    }

    @Test func `a lease that the server does not confirm is erased, and a new lease replaces the former`() throws {
        try withShelf { shelf in
            try shelf.give(1)
            try shelf.give(2, to: "bo", keeping: [LeaseShelf.id(1)])
            try shelf.give(3, keeping: [LeaseShelf.id(1), LeaseShelf.id(2)])
            #expect(try shelf.store().ids() == [LeaseShelf.id(2), LeaseShelf.id(3)])
            try shelf.receive(good: [LeaseShelf.id(3)])
            #expect(try shelf.store().ids() == [LeaseShelf.id(3)])
            try shelf.receive(good: [])
            #expect(try shelf.directory.names() == [])
        }
    }

    @Test func `a lease for another device, or from another signer, is refused`() throws {
        try withShelf { shelf in
            #expect(isRefused { _ = try shelf.give(1, device: LeaseShelf.tenant) })
            #expect(isRefused { _ = try shelf.give(1, signer: P256.Signing.PrivateKey()) })
            let ids = try shelf.store().ids()
            #expect(ids == [])
        }
    }

    @Test func `signed data of the organisation that is not a lease is not accepted`() throws {
        try withShelf { shelf in
            let lease = try CompactJWS(try shelf.give(1))
            try shelf.receive(good: [])
            var header = MembersWriter()
            header.set(HeaderName.type, "JWT")
            header.set(HeaderName.algorithm, "ES256")
            let other = try TokenSigner(key: .p256(shelf.signer), header: header).token(payload: lease.rawPayload)
            #expect(isRefused { try shelf.take(other) })
            #expect(try shelf.store().ids() == [])
        }
    }

    @Test func `files of another device, changed files and exchanged files are refused`() throws {
        try withShelf { shelf in
            try shelf.give(1)
            try shelf.give(2, to: "bo", keeping: [LeaseShelf.id(1)])
            let (one, two) = (LeaseShelf.id(1) + ".lease", LeaseShelf.id(2) + ".lease")
            let kept = try #require(try shelf.directory.file(one).read())
            try shelf.directory.file(two).replace(with: kept)
            #expect(try shelf.store().held().map(\.lease.person.userName) == ["amara"])
            var changed = kept
            changed[40] ^= 1
            try shelf.directory.file(one).replace(with: changed)
            #expect(try shelf.store().held().isEmpty)
            try shelf.give(3)
            #expect(try shelf.store(key: 8).look().leases.isEmpty)
            #expect(try shelf.directory.names() == [])
        }
    }

    @Test func `leases without a record of time are not valid`() throws {
        try withShelf { shelf in
            try shelf.give(1)
            try shelf.directory.file("time").remove()
            #expect(try shelf.attempt("amara", "correct horse") == .wrong)
            #expect(try shelf.directory.names() == [])
        }
    }

    @Test func `no file holds the worker's name, password or number in clear`() throws {
        try withShelf { shelf in
            let token = try shelf.give(1, to: "amara@contoso.test")
            let names = try shelf.directory.names()
            #expect(names.count == 2)
            for name in names {
                let bytes = Data(try #require(try shelf.directory.file(name).read()))
                for canary in ["amara", "id of", "correct horse", String(token.prefix(20))] {
                    #expect(bytes.range(of: Data(canary.utf8)) == nil)
                }
            }
        }
    }

    private func isRefused(_ body: () throws -> Void) -> Bool {
        do { try body() } catch { return error is JOSEFailure }
        return false
    }

    private func withShelf(_ body: (LeaseShelf) throws -> Void) throws {
        try LeaseShelf.with(body)
    }
}
