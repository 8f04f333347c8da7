// SPDX-License-Identifier: Apache-2.0
package import DeviceHTTPS
package import DeviceKeyStore
internal import DeviceSettings
package import Files
internal import Glibc
package import Logging
package import MDMClient
internal import OAuth
internal import Processes
internal import Receipts
internal import ServiceLifecycle
internal import Synchronization

/// Asks the server to countersign the newest receipt whenever a receipt is written and whenever the server can be
/// reached again.
///
/// There is no timer: an upload that fails is repeated at the next of these events.
package final class AnchorUploader: Service {
    private let store: ReceiptStore
    private let keys: KeyStore
    private let https: @Sendable () throws -> any HTTPSending
    private let logger: Logger
    private let watched = Mutex<WatchedSession?>(nil)
    private let events = ChangeCount()
    private let disk = BlockingQueue(label: "baton.receipts.disk")

    /// - Parameters:
    ///   - state: the folder of the device's state.
    ///   - platform: the TPM with the device's keys, if the device has one.
    ///   - https: makes the client for the identity platform.
    package init(
        state: Directory, platform: (any TrustedPlatform)? = nil,
        https: @escaping @Sendable () throws -> any HTTPSending, logger: Logger
    ) {
        let files = DeviceFiles(root: state, platform: platform)
        store = ReceiptStore(directory: files.receipts)
        keys = files.keyStore
        self.https = https
        self.logger = logger
    }

    /// Sets the join and the newest receipt for the next uploads; never blocks.
    package func watch(_ present: WatchedSession) {
        let former = watched.withLock { watched in
            defer { watched = present }
            return watched
        }
        if former?.join != present.join || former?.receipt != present.receipt { events.advance() }
    }

    /// Reports that the server can be reached; never blocks.
    package func serverReached() { events.advance() }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            var seen: UInt64 = 0
            while !Task.isCancelled {
                await self.events.beyond(seen)
                seen = self.events.value
                guard let join = self.watched.withLock({ $0?.join }) else { continue }
                do { try await self.anchor(join) } catch let refusal as OAuthError {
                    self.logger.error(
                        "the server does not countersign the receipts", metadata: ["oauth.number": "\(refusal.number)"])
                } catch { self.logger.info("the newest receipt is not anchored yet", metadata: ["error": "\(error)"]) }
            }
        }
    }

    /// A receipt to be countersigned.
    private struct Pending {
        let end: ChainEnd
        let key: ReceiptKey
        /// The newest countersignature that the device has.
        let newest: SignedLine?
        let device: DeviceKeys
    }

    private func anchor(_ join: JoinRecord) async throws {
        let (store, keys) = (store, keys)
        let pending = try await disk.run { () -> Pending? in
            guard let end = try store.end(), !end.isAfterDamage, !end.isBeforeFirst,
                try store.anchor(of: end.key).map({ $0.sequence < end.sequence }) ?? true,
                let key = try ReceiptKey(in: keys), key.published.thumbprint == end.key
            else { return nil }
            return Pending(
                end: end, key: key, newest: try store.anchorLine(of: end.key), device: try DeviceKeys(in: keys))
        }
        guard let pending else { return }
        let device = try DeviceCallSigner(join: join, keys: pending.device, https: try https(), now: { Int(time(nil)) })
        let line = try await countersignature(of: pending, join: join, from: device)
        try await disk.run { try store.add(anchor: line) }
        logger.info("receipts anchored", metadata: ["receipt.sequence": "\(pending.end.sequence)"])
    }

    private func countersignature(
        of pending: Pending, join: JoinRecord, from device: DeviceCallSigner
    ) async throws -> SignedLine {
        let (end, key) = (pending.end, pending.key)
        let answer = try await device.answer { binding in
            let head = ChainHead(
                tenant: join.tenantID, device: join.deviceID, key: key.published, sequence: end.sequence,
                hash: end.hash, nonce: binding.nonce)
            return AnchorRequest(binding, head: try head.signed(with: key.signing), newest: pending.newest)
        }
        let (anchor, line) = try AnchorRequest.anchor(decoding: answer)
        guard anchor.sequence == end.sequence, anchor.hash == end.hash, anchor.key == end.key else {
            throw ReceiptFailure.malformed
        }
        return line
    }
}
