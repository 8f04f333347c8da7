// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import DeviceKeyStore
internal import DeviceSettings
internal import Files
internal import Leftovers
internal import Logging
internal import OAuth
internal import Receipts
internal import SwiftASN1

/// Owns the chain of receipts: one receipt for each hand-over. Used only on the supervisor's thread.
final class ReceiptWriter {
    private let store: ReceiptStore
    private let facts: ReceiptFacts
    private let join: JoinFlow
    private let keys: KeyStore
    private let clock: SupervisorClock
    /// The count that reveals an older copy of the state; nil if the device has no TPM.
    private let epochCount: EpochCount?
    private let logger: Logger
    private var key: ReceiptKey?
    /// The number of the newest line; 0 before the first.
    private(set) var sequence = 0
    /// The last hand-over for which this process wrote a receipt; nil before the first receipt. It contains no data
    /// about the worker. Epochs in which nobody signed in are left out.
    private(set) var last: DeviceState.Handover?
    /// When damage to a chain was last found, in seconds since 1970; nil once the damaged chains that were moved aside
    /// have been removed.
    private(set) var damageFound: Int?

    /// - Parameter period: how long a receipt is kept.
    init(
        files: DeviceFiles, period: Duration, facts: ReceiptFacts, join: JoinFlow, epochCount: EpochCount?,
        clock: SupervisorClock, logger: Logger
    ) {
        (self.facts, self.join, self.epochCount) = (facts, join, epochCount)
        store = ReceiptStore(directory: files.receipts, period: period)
        keys = files.keyStore
        self.clock = clock
        self.logger = logger
    }

    /// Loads the key, the end of the chain and the draft that the last process left. Damaged receipts are moved aside
    /// and reported.
    ///
    /// - Throws: ``FileError``, ``KeyFileExposed``.
    func open() throws {
        try store.directory.make(mode: 0o700)
        do { key = try ReceiptKey(in: keys) } catch is DeviceStateDamaged { key = nil }
        damageFound = try store.damageFound()
        sequence = try end()?.sequence ?? 0
        try store.removeExpired()
        try facts.load()
    }

    /// Returns the end of the chain, after which the next line is written. A damaged chain is moved aside first.
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
            // If the chain's length or the chain's key is lost, the chain cannot continue: a new chain begins, under a
            // new key.
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

    // MARK: - The receipt

    /// What the agent and the helper reported about the ended epoch.
    struct Observations {
        /// What the browsers held open, according to the agent.
        var opened: Finding<[String]> = .unknown
        /// The items about whether the files that the agent wrote for the browsers were unchanged.
        var files: [ItemOutcome] = []
        /// The result of the search for files that the session's user left behind.
        var search = FileSearch.nowhere
    }

    /// Writes the receipt, durably. Does nothing if the ended epoch already has a receipt.
    ///
    /// - Throws: ``FileError``, an error of the cryptography library, or an error of the device's TPM.
    func write(_ handover: HandoverOutcome, saw: Observations = Observations()) throws {
        defer { facts.forgetItems() }
        try append(handover, join.record, saw: saw)
        // By now nothing of the worker is left. From here on, a copy of the state without this receipt counts as an
        // older copy.
        try epochCount?.advance()
    }

    private func append(_ handover: HandoverOutcome, _ join: JoinRecord?, saw: Observations) throws {
        let ended = handover.ended.description
        guard let join else {
            // On a device that has not joined, nobody was able to sign in, and nobody could verify the receipt's
            // signature.
            try facts.removeFile()
            return
        }
        let end = try end()
        if let end, end.ended == ended { return }
        let key = try receiptKey()
        certify(key, join)
        let receipt = receipt(of: handover, join, key, saw: saw, after: end)
        try store.append(try receipt.signed(with: key.signing), receipt, after: end)
        sequence = receipt.place.sequence
        if !receipt.isAttempt { last = DeviceState.Handover(receipt) }
        try facts.remove()
        logger.info("receipt written", metadata: ["receipt.sequence": "\(sequence)"])
    }

    private func receiptKey() throws -> ReceiptKey {
        if let key { return key }
        let made = try ReceiptKey.make(in: keys)
        key = made
        return made
    }

    private func receipt(
        of handover: HandoverOutcome, _ join: JoinRecord, _ key: ReceiptKey, saw: Observations, after end: ChainEnd?
    ) -> Receipt {
        let draft = facts.draft(of: handover.ended)
        let now = clock.now()
        let hadBrowser = handover.items.contains { $0.name == ItemOutcome.browser.name }
        return Receipt(
            place: .init(
                sequence: (end?.sequence ?? 0) + 1, previous: end.flatMap { $0.sequence == 0 ? nil : $0.hash },
                followsDamage: end?.isAfterDamage ?? false),
            tenant: join.tenantID, device: join.deviceID, key: key.published.thumbprint,
            ended: handover.ended.description, next: handover.next.description, trigger: handover.trigger?.rawValue,
            isAttempt: handover.isAttempt, isOffline: draft?.isOffline ?? false,
            times: .init(began: draft?.began, committed: draft?.committed, finished: now),
            items: (handover.items + (hadBrowser ? saw.files : [])).map {
                ReceiptItem($0.claimed(isObserved: facts.isObserved($0.name)), at: facts.time(of: $0.name) ?? now)
            },
            accessTokensEndBy: facts.tokensEnd(of: draft),
            subject: draft?.subjectFinding(isAttempt: handover.isAttempt) ?? .unknown,
            remains: .init(
                left: saw.search.left,
                unobserved: Leftover.unobserved(
                    items: handover.items.map(\.name), left: saw.search.found, searched: saw.search.searched,
                    isNewest: saw.search.foldersAsOf == nil),
                opened: hadBrowser ? saw.opened : .none, foldersAsOf: saw.search.foldersAsOf))
    }

    /// Stores a statement, signed with the device key, that the receipt key belongs to this device. Does so once for
    /// each join. If that fails, the receipt is still valid, and the next call tries again.
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

extension DeviceState.Handover {
    fileprivate init(_ receipt: Receipt) {
        self.init(
            receipt: receipt.place.sequence, finished: receipt.times.finished, trigger: receipt.trigger,
            items: receipt.items.map {
                Item(
                    name: $0.name, grade: $0.grade.rawValue, observer: $0.observer.rawValue, result: $0.result.rawValue)
            }, left: Left(receipt.remains), opened: Left(receipt.remains.opened),
            unobserved: receipt.remains.unobserved?.count)
    }
}

extension DeviceState.Handover.Left {
    fileprivate init(_ remains: Receipt.Remains) {
        self.init(remains.left)
        if self == .nothing, remains.foldersAsOf != nil { self = .nothingInKnownFolders }
    }

    fileprivate init(_ found: Finding<[String]>) {
        self =
            switch found {
            case .none: .nothing
            case .unknown: .unknown
            case .known(let names): names.isEmpty ? .nothing : .something
            }
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
