// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerIPC
internal import BrokerProtocol
internal import Files
internal import Logging
internal import OAuth
internal import Receipts
internal import SwiftASN1

/// Writes the receipt of each hand-over; lives on the supervisor's thread.
final class ReceiptWriter {
    private let store: ReceiptStore
    private let drafts: AtomicFile
    private let keys: KeyStore
    private let clock: SupervisorClock
    /// What knows an older copy of the state, where the device has a TPM.
    private let epochCount: EpochCount?
    private let logger: Logger
    private var draft: ReceiptDraft?
    /// When what was done for the epoch that ends; an item that is done again keeps its first time.
    private var times: [String: Int] = [:]
    /// What of it this process has observed.
    private var observed: Set<String> = []
    /// The epoch that began under this process.
    private var begun: Epoch?
    /// The longest life of the tokens that were given since this process began; the draft's bound is later.
    private var tokensEndBy: Int?
    private var key: ReceiptKey?
    /// The number of the newest line; 0 before the first.
    private(set) var sequence = 0
    /// When a chain was found damaged last, in seconds since 1970, while what was moved aside is there.
    private(set) var damageFound: Int?

    init(files: DeviceFiles, epochCount: EpochCount?, clock: SupervisorClock, logger: Logger) {
        self.epochCount = epochCount
        store = ReceiptStore(directory: files.receipts)
        drafts = files.receipts.file("draft.json")
        keys = files.keyStore
        self.clock = clock
        self.logger = logger
    }

    /// Takes up what the last process left; what is damaged is moved aside and told of.
    ///
    /// - Throws: ``FileError``, ``KeyFileExposed``.
    func open() throws {
        try store.directory.make(mode: 0o700)
        do { key = try ReceiptKey(in: keys) } catch is DeviceStateDamaged { key = nil }
        damageFound = try store.damageFound()
        sequence = try end()?.sequence ?? 0
        if let bytes = try drafts.read(limit: 64 << 10) {
            // A draft that cannot be read costs what it knew: the receipt will say "unknown".
            draft = try? JSONCodec.read(ReceiptDraft.self, bytes)
        }
    }

    /// The chain's end, behind which the next line goes.
    private func end() throws -> ChainEnd? {
        do {
            let end = try store.end()
            guard let end, end.key != key?.published.thumbprint else { return end }
            throw ReceiptsDamaged(cause: .keyChanged, end: nil)
        } catch let damage as ReceiptsDamaged {
            let isLost = damage.end == nil
            let folder = try store.moveAside(at: clock.now(), withStatements: isLost)
            damageFound = try store.damageFound()
            logger.critical("\(damage)", metadata: ["receipts.moved": "\(folder)"])
            // Where nothing says how far the chain went, it cannot go on: another one begins, under another key.
            if isLost {
                for file in ReceiptKey.files {
                    try keys.directory.file(file).move(to: store.directory.path + "/\(folder)/" + file)
                }
                key = try ReceiptKey.make(in: keys)
            }
            let key = try receiptKey().published.thumbprint
            let end = damage.end?.afterDamage(key: key) ?? .anew(key: key)
            try store.write(end)
            return end
        }
    }

    // MARK: - What is learnt while the epoch lasts

    /// Somebody begins to prove who they are.
    func begin(_ epoch: Epoch) throws {
        (times, observed, begun) = ([:], [], epoch)
        tokensEndBy = nil
        draft = ReceiptDraft(epoch: epoch, began: clock.now())
        try keepDraft()
        Failpoint.receiptBegun.reach()
    }

    /// The end is committed.
    func commit(_ ended: Epoch) {
        if draft?.epoch != ended { draft = nil }
        if draft?.committed == nil { draft?.committed = clock.now() }
    }

    /// Something of the epoch that ends is done.
    ///
    /// - Parameter isObserved: whether this process observed it itself.
    func mark(_ item: String, isObserved: Bool = false) {
        if times[item] == nil { times[item] = clock.now() }
        if isObserved { observed.insert(item) }
    }

    /// Whether everything that the epoch had began under this process: of another one's it has seen nothing.
    func hasSeen(_ epoch: Epoch) -> Bool { begun == epoch }

    /// Writes down what is known so far.
    func keepDraft() throws {
        guard let draft else { return }
        try drafts.replace(with: try JSONCodec.bytes(draft))
    }

    /// The server has opened a session, for whom it gives this pseudonym.
    func hear(subject: String?) throws {
        draft?.hasSession = true
        draft?.subject = subject.flatMap { Pseudonym.isOne($0) ? $0 : nil }
        try keepDraft()
        Failpoint.receiptSubjectKept.reach()
    }

    /// Somebody is signed in without the server, whom their lease gives this pseudonym.
    func hear(offline subject: String?) throws {
        draft?.isOffline = true
        try hear(subject: subject)
    }

    /// An app is about to be given an access token that lives until `time`; when this returns, no receipt says less.
    func hear(tokenUntil time: Int) throws {
        tokensEndBy = max(tokensEndBy ?? 0, time)
        guard time > draft?.tokensBound ?? 0 else { return }
        draft?.tokensBound = time + ReceiptDraft.ahead
        try keepDraft()
        Failpoint.receiptTokensKept.reach()
    }

    // MARK: - The receipt

    /// Writes the receipt, durably; again for the same ended epoch it does nothing.
    ///
    /// - Throws: ``FileError``, the library's error, or that of the device's chip.
    func write(_ handover: Handover, join: JoinRecord?) throws {
        defer { (times, observed) = ([:], []) }
        try append(handover, join)
        // Everything of the worker is gone by now. A copy of the state that does not know this receipt is an older one.
        try epochCount?.advance()
    }

    private func append(_ handover: Handover, _ join: JoinRecord?) throws {
        let ended = handover.ended.description
        guard let join else {
            // Nobody can be at a device that has joined no directory, and nobody could check who signed.
            try drafts.remove()
            return
        }
        let end = try end()
        if let end, end.ended == ended { return }
        let key = try receiptKey()
        certify(key, join)
        let receipt = receipt(of: handover, join, key, behind: end)
        try store.append(try receipt.signed(with: key.signing), receipt, behind: end)
        sequence = receipt.place.sequence
        draft = nil
        try drafts.remove()
        logger.info("receipt written", metadata: ["receipt.sequence": "\(sequence)"])
    }

    private func receiptKey() throws -> ReceiptKey {
        if let key { return key }
        let made = try ReceiptKey.make(in: keys)
        key = made
        return made
    }

    private func receipt(
        of handover: Handover, _ join: JoinRecord, _ key: ReceiptKey, behind end: ChainEnd?
    ) -> Receipt {
        let draft = draft?.epoch == handover.ended ? draft : nil
        let now = clock.now()
        return Receipt(
            place: .init(
                sequence: (end?.sequence ?? 0) + 1, previous: end.flatMap { $0.sequence == 0 ? nil : $0.hash },
                followsDamage: end?.isAfterDamage ?? false),
            tenant: join.tenantID, device: join.deviceID, key: key.published.thumbprint,
            ended: handover.ended.description, next: handover.next.description, trigger: handover.trigger?.rawValue,
            isAttempt: handover.isAttempt, isOffline: draft?.isOffline ?? false,
            times: .init(began: draft?.began, committed: draft?.committed, finished: now),
            items: handover.items.map {
                ReceiptItem($0.claimed(isObserved: observed.contains($0.name)), at: times[$0.name] ?? now)
            },
            accessTokensEndBy: tokens(of: draft),
            subject: draft?.subjectFinding(isAttempt: handover.isAttempt) ?? .unknown)
    }

    private func tokens(of draft: ReceiptDraft?) -> Finding<Int> {
        guard let draft else { return .unknown }
        guard let bound = draft.tokensBound else { return .none }
        return .known(tokensEndBy.map { min($0, bound) } ?? bound)
    }

    /// Has the device key say that the receipt key is this device's, once for each join. Where that fails, the receipt is
    /// good all the same, and it is tried again with the next one.
    private func certify(_ key: ReceiptKey, _ join: JoinRecord) {
        do {
            let certificate = try PEMDocument(pemString: join.certificate).derBytes
            let isSaid = try store.statements().contains {
                $0.key == key.published && $0.certificate == certificate
            }
            guard !isSaid else { return }
            let statement = KeyStatement(
                tenant: join.tenantID, device: join.deviceID, key: key.published, at: clock.now(),
                certificate: certificate)
            try store.add(
                statement: try DeviceKeys(in: keys).usingHere { keys in try statement.signed(with: keys.identity) })
            Failpoint.receiptKeyStated.reach()
        } catch { logger.error("the receipt key is not certified yet", metadata: ["error": "\(error)"]) }
    }
}

extension ReceiptItem {
    fileprivate init(_ outcome: ItemOutcome, at time: Int) {
        let grade: Grade =
            switch outcome.grade {
            case .enforced: .enforced
            case .implied: .implied
            case .reported: .reported
            case .cooperative: .cooperative
            }
        let observer: Observer =
            switch outcome.observer {
            case .broker: .broker
            case .agent: .agent
            case .nobody: .nobody
            case .app: .app
            }
        let result: Result =
            switch outcome.result {
            case .done: .done
            case .failed: .failed
            case .unanswered: .unanswered
            }
        self.init(name: outcome.name, grade: grade, observer: observer, result: result, at: time)
    }
}
