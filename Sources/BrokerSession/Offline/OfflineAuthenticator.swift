// SPDX-License-Identifier: Apache-2.0
package import BrokerDevice
internal import OAuth
package import Redaction

/// Knows a worker again by what they typed: every attempt is counted on disk before it is judged. Blocks.
package struct OfflineAuthenticator {
    package enum Finding: Sendable, Equatable {
        case known(HeldLease)
        case wrong
        /// Nobody can sign in: the clock was set back.
        case clockSetBack
        /// The device's chip has not judged the PIN; the attempt costs nothing.
        case unjudged(TrustedPlatformFailure)
    }

    private let store: LeaseStore
    private let device: String
    private let platform: (any TrustedPlatform)?

    /// - Parameters:
    ///   - device: the id by which the organisation knows this device; leases for another are none.
    ///   - platform: the device's chip, where it has one.
    package init(store: LeaseStore, device: String, platform: (any TrustedPlatform)? = nil) {
        (self.store, self.device, self.platform) = (store, device, platform)
    }

    /// Judges one attempt. A name that nobody here has costs the same work as one that somebody has; not where a chip would
    /// be asked for a PIN, since it would count that.
    ///
    /// - Throws: ``FileError``, or the library's error: nothing is known then, and the attempt stays counted.
    package func judge(name: String, secret: SecretBytes) throws -> Finding {
        let (all, mayBegin) = try store.look()
        guard mayBegin else { return .clockSetBack }
        let leases = all.filter { $0.isFor(device: device) }
        guard let held = leases.first(where: { $0.lease.person.userName.lowercased() == name.lowercased() }) else {
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
            // Nothing at all was judged, the password neither: else a chip that is locked would make guesses free.
            try store.giveBack(charged)
            return .unjudged(failure)
        }
        try store.succeed(charged)
        return .known(charged)
    }

    /// Whether the worker has set a PIN here, the lease takes it, and this is it.
    private func isPIN(_ secret: SecretBytes, of held: HeldLease) throws -> Bool {
        guard OfflinePIN.hasShape(secret), let pin = held.record.pin, pin.isAllowed(by: held.lease) else {
            return false
        }
        return try pin.matches(secret, platform: platform)
    }

    /// Does the work of an attempt on a lease that it is not for. A chip is not asked: it would count that.
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
