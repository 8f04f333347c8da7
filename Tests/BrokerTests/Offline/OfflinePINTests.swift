// SPDX-License-Identifier: Apache-2.0
import BrokerSession
import DeviceKeyStore
import Files
import Foundation
import OAuth
import Redaction
import Synchronization
import Testing

/// A minimal TPM. After three wrong authorizations it refuses every authorization.
private final class FakeChip: TrustedPlatform {
    struct State {
        var sealed: [(secret: SecretBytes, authorization: SecretBytes?)] = []
        var wrong = 0
        var asked = 0
        var isGone = false
    }

    let state = Mutex(State())

    func seal(_ secret: SecretBytes, authorization: SecretBytes?) throws(TrustedPlatformFailure) -> [UInt8] {
        state.withLock { state in
            state.sealed.append((secret, authorization))
            return [UInt8(state.sealed.count - 1)]
        }
    }

    func unseal(_ blob: [UInt8], authorization: SecretBytes?) throws(TrustedPlatformFailure) -> SecretBytes {
        try state.withLock { state throws(TrustedPlatformFailure) in
            state.asked += 1
            guard !state.isGone else { throw .unavailable(cause: "gone") }
            guard state.wrong < 3 else { throw .lockedOut }
            guard let place = blob.first, Int(place) < state.sealed.count else { throw .foreign }
            guard state.sealed[Int(place)].authorization == authorization else {
                state.wrong += 1
                throw .wrongAuthorization
            }
            return state.sealed[Int(place)].secret
        }
    }

    func makeKey(_ kind: TPMKey.Kind) throws(TrustedPlatformFailure) -> TPMKey { throw .unresponsive }
    func sign(_ digest: [UInt8], with key: TPMKey) throws(TrustedPlatformFailure) -> [UInt8] {
        throw .unresponsive
    }
    func decrypt(_ encrypted: [UInt8], with key: TPMKey) throws(TrustedPlatformFailure) -> SecretBytes {
        throw .unresponsive
    }
    func counter() throws(TrustedPlatformFailure) -> UInt64? { throw .unresponsive }
    func advanceCounter() throws(TrustedPlatformFailure) -> UInt64 { throw .unresponsive }
}

@Suite struct OfflinePINTests {
    private static let pin = "480271"

    @Test(arguments: ["12345", "123456789012345678901234567890123", "12345a", "", "１２３４５６", "-12345"])
    func `a PIN of the wrong shape is refused`(pin: String) {
        #expect(throws: OfflinePIN.PolicyViolation.shape) { try OfflinePIN.check(SecretBytes(copying: pin.utf8)) }
    }

    @Test(
        arguments: [
            "000000", "123456", "987654", "789012", "121212", "123123", "0987654", "1212121", "1231231", "7777777",
        ])
    func `a PIN that is easy to guess is refused`(pin: String) {
        #expect(throws: OfflinePIN.PolicyViolation.trivial) { try OfflinePIN.check(SecretBytes(copying: pin.utf8)) }
        #expect(throws: OfflinePIN.PolicyViolation.trivial) {
            _ = try OfflinePIN(SecretBytes(copying: pin.utf8), platform: FakeChip())
        }
    }

    @Test(arguments: [pin, "112358", "135790", "12341234"])
    func `any other PIN is accepted`(pin: String) {
        #expect(throws: Never.self) { try OfflinePIN.check(SecretBytes(copying: pin.utf8)) }
    }

    @Test func `a PIN is stored under the name that earlier versions read`() throws {
        let pin = try OfflinePIN(SecretBytes(copying: Self.pin.utf8), platform: FakeChip())
        let stored = try JSONEncoder().encode(pin)
        let members = try #require(try JSONSerialization.jsonObject(with: stored) as? [String: Any])
        #expect(Array(members.keys) == ["keeper"])
        #expect(try JSONDecoder().decode(OfflinePIN.self, from: stored) == pin)
    }

    @Test func `a worker is identified by the PIN that the chip opens, by their password, by no other PIN`() throws {
        let chip = FakeChip()
        try LeaseShelf.with { shelf in
            try shelf.give(1, credentials: [.password, .pin])
            #expect(try shelf.attempt("amara", Self.pin, chip) == .wrong)
            try shelf.set(Self.pin, of: "amara", chip)
            #expect(try shelf.attempt("amara", Self.pin, chip).name == "amara")
            #expect(try shelf.attempt("amara", "480272", chip) == .wrong)
            #expect(try shelf.attempt("amara", "correct horse", chip).name == "amara")
        }
    }

    @Test func `password and PIN share one count of attempts, and the last wrong one erases both`() throws {
        let chip = FakeChip()
        try LeaseShelf.with { shelf in
            try shelf.give(1, credentials: [.password, .pin])
            try shelf.set(Self.pin, of: "amara", chip)
            for typed in ["480272", "wrong", "480273"] { #expect(try shelf.attempt("amara", typed, chip) == .wrong) }
            let names = try shelf.directory.names()
            #expect(names == [])
            #expect(try shelf.attempt("amara", Self.pin, chip) == .wrong)
        }
    }

    @Test func `a locked chip checks no PIN, counts no attempt and does not help to guess a password`() throws {
        let chip = FakeChip()
        try LeaseShelf.with { shelf in
            try shelf.give(1, password: "48027155", credentials: [.password, .pin])
            try shelf.set(Self.pin, of: "amara", chip)
            chip.state.withLock { $0.wrong = 3 }
            for typed in [Self.pin, "48027155", "48027156", Self.pin, Self.pin] {
                #expect(try shelf.attempt("amara", typed, chip) == .unjudged(.lockedOut))
            }
            chip.state.withLock { $0.wrong = 0 }
            #expect(try shelf.attempt("amara", "48027155", chip).name == "amara")
            #expect(try shelf.attempt("amara", Self.pin, chip).name == "amara")
        }
    }

    @Test func `without the chip a password is checked, but no PIN`() throws {
        let chip = FakeChip()
        try LeaseShelf.with { shelf in
            try shelf.give(1, credentials: [.password, .pin, .pinWithoutTPM])
            try shelf.set(Self.pin, of: "amara", chip)
            chip.state.withLock { $0.isGone = true }
            for _ in 0..<5 {
                #expect(try shelf.attempt("amara", Self.pin, chip) == .unjudged(.unavailable(cause: "gone")))
                guard case .unjudged(.unavailable) = try shelf.attempt("amara", Self.pin) else {
                    Issue.record("judged without a chip")
                    return
                }
            }
            #expect(try shelf.attempt("amara", "correct horse", chip).name == "amara")
        }
    }

    @Test func `the chip checks only a PIN of the worker`() throws {
        let chip = FakeChip()
        try LeaseShelf.with { shelf in
            try shelf.give(1, credentials: [.password, .pin])
            try shelf.set(Self.pin, of: "amara", chip)
            for (name, typed) in [("amara", "wrong"), ("amara", "48027a"), ("bo", Self.pin), ("bo", "480272")] {
                #expect(try shelf.attempt(name, typed, chip) == .wrong)
            }
            #expect(chip.state.withLock(\.asked) == 0)
        }
    }

    @Test func `without a TPM a PIN is accepted only if the organisation has opted in to that`() throws {
        try LeaseShelf.with { shelf in
            try shelf.give(1, credentials: [.pinWithoutTPM])
            try shelf.set(Self.pin, of: "amara", nil)
            #expect(try shelf.attempt("amara", "480272") == .wrong)
            #expect(try shelf.attempt("amara", Self.pin).name == "amara")
            #expect(try shelf.attempt("amara", "correct horse") == .wrong)
            try shelf.give(2, to: "bo", credentials: [.pin], keeping: [LeaseShelf.id(1)])
            try shelf.set(Self.pin, of: "bo", nil)
            #expect(try shelf.attempt("bo", Self.pin) == .wrong)
        }
    }

    @Test func `a PIN is kept when a new lease of its worker replaces the old, but not for others`() throws {
        let chip = FakeChip()
        try LeaseShelf.with { shelf in
            try shelf.give(1, credentials: [.pin])
            try shelf.set(Self.pin, of: "amara", chip)
            try shelf.give(2, credentials: [.pin], keeping: [LeaseShelf.id(1)])
            try shelf.give(3, to: "bo", credentials: [.pin], keeping: [LeaseShelf.id(2)])
            #expect(try shelf.attempt("amara", Self.pin, chip).name == "amara")
            #expect(try shelf.attempt("bo", Self.pin, chip) == .wrong)
        }
    }

    @Test func `a PIN whose last attempt was wrong is removed with the next lease, which resets the count`()
        throws
    {
        let chip = FakeChip()
        try LeaseShelf.with { shelf in
            try shelf.give(1, credentials: [.pin])
            try shelf.set(Self.pin, of: "amara", chip)
            #expect(try shelf.attempt("amara", "480272", chip) == .wrong)
            #expect(try shelf.attempt("amara", Self.pin, chip).name == "amara")
            try shelf.give(2, credentials: [.pin], keeping: [LeaseShelf.id(1)])
            #expect(try shelf.attempt("amara", "480272", chip) == .wrong)
            try shelf.give(3, credentials: [.pin], keeping: [LeaseShelf.id(2)])
            #expect(try shelf.attempt("amara", Self.pin, chip) == .wrong)
        }
    }

    @Test func `a PIN is erased when its lease is withdrawn or the rules no longer allow PINs`() throws {
        let chip = FakeChip()
        try LeaseShelf.with { shelf in
            try shelf.give(1, credentials: [.pin])
            try shelf.set(Self.pin, of: "amara", chip)
            // The former lease is no longer valid, because the password or the rules have changed.
            try shelf.give(2, credentials: [.pin])
            #expect(try shelf.attempt("amara", Self.pin, chip) == .wrong)
            try shelf.set(Self.pin, of: "amara", chip)
            #expect(try shelf.attempt("amara", Self.pin, chip).name == "amara")
            try shelf.give(3, credentials: [.password], keeping: [LeaseShelf.id(2)])
            #expect(try shelf.attempt("amara", "correct horse", chip).name == "amara")
            try shelf.give(4, credentials: [.pin], keeping: [LeaseShelf.id(3)])
            #expect(try shelf.attempt("amara", Self.pin, chip) == .wrong)
        }
    }
}
