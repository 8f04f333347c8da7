// SPDX-License-Identifier: Apache-2.0
package import DeviceKeyStore
internal import OAuth
package import Redaction

/// Authenticates a worker offline. Every attempt is counted on disk before it is judged. Blocks.
package struct OfflineAuthenticator {
    package enum Finding: Sendable, Equatable {
        case known(HeldLease)
        case wrong
        /// Nobody can sign in, because the clock was set back.
        case clockSetBack
        /// The device's TPM has not judged the PIN; the attempt is not counted.
        case unjudged(TrustedPlatformFailure)
    }

    private let store: LeaseStore
    private let device: String
    private let platform: (any TrustedPlatform)?

    /// - Parameters:
    ///   - device: the id of this device in the organisation; leases for other devices are ignored.
    ///   - platform: the device's TPM, if it has one.
    package init(store: LeaseStore, device: String, platform: (any TrustedPlatform)? = nil) {
        (self.store, self.device, self.platform) = (store, device, platform)
    }

    /// Judges one attempt. For an unknown name, the same work is done as for a known name, with one exception: a TPM
    /// that keeps PINs is not asked, because it would count a wrong attempt.
    ///
    /// - Throws: ``FileError``, or an error of the cryptography library. In that case the result is unknown, and the
    ///   attempt remains counted.
    package func judge(name: String, secret: SecretBytes) throws -> Finding {
        let found = try store.look()
        guard found.mayBegin else { return .clockSetBack }
        let leases = found.leases.filter { $0.isFor(device: device) }
        guard let held = leases.first(where: { Self.isName(name, of: $0) }) else {
            if let other = leases.first {
                try store.rewrite(other)
                try pretend(secret, other)
            }
            return .wrong
        }
        guard let charged = try store.charge(held) else { return .wrong }
        do {
            guard try isPIN(secret, of: charged) || matches(secret, charged) else {
                try store.fail(charged)
                return .wrong
            }
        } catch let failure as TrustedPlatformFailure {
            // The attempt may be given back only because nothing was judged, not even the password. If the password had
            // been judged first, a locked TPM would allow unlimited guesses at the password.
            try store.giveBack(charged)
            return .unjudged(failure)
        }
        try store.succeed(charged)
        return .known(charged)
    }

    /// Whether this is the worker's user name. The organisation's domain may be left out.
    private static func isName(_ name: String, of held: HeldLease) -> Bool {
        let (name, own) = (name.lowercased().filter { !$0.isWhitespace }, held.lease.person.userName.lowercased())
        return name.contains("@") ? name == own : !name.isEmpty && name == own.prefix { $0 != "@" }
    }

    /// Whether the worker has set a PIN, the lease allows PINs, and the input is this PIN.
    private func isPIN(_ secret: SecretBytes, of held: HeldLease) throws -> Bool {
        guard OfflinePIN.hasShape(secret), let pin = held.record.pin, pin.isAllowed(by: held.lease) else {
            return false
        }
        return try pin.matches(secret, platform: platform)
    }

    /// For an unknown name, does the same work as for a known name, with another worker's lease. The TPM is not asked,
    /// because it would count the attempt.
    private func pretend(_ secret: SecretBytes, _ held: HeldLease) throws {
        if OfflinePIN.hasShape(secret), let pin = held.record.pin, !pin.isUnderPlatform {
            _ = try pin.matches(secret, platform: nil)
        }
        _ = try matches(secret, held)
    }

    private func matches(_ secret: SecretBytes, _ held: HeldLease) throws -> Bool {
        guard held.lease.credentials.contains(.password), let password = held.lease.password else { return false }
        return try password.matches(secret)
    }
}
