// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import DeviceSettings
internal import Files
internal import JSON
internal import OAuth
internal import Receipts

/// Owns the facts for the receipt of the current epoch. Used only on the supervisor's thread.
final class ReceiptFacts {
    private let drafts: AtomicFile
    private let clock: SupervisorClock
    private var draft: ReceiptDraft?
    /// When each item of the ending epoch was done. If an item is done repeatedly, the first time is kept.
    private var times: [String: Int] = [:]
    /// The items whose result this process observed.
    private var observed: Set<String> = []
    /// The epoch that began in this process.
    private var begun: Epoch?
    /// The latest expiry time of the tokens that this process has given to apps in this epoch. The draft's bound is
    /// later.
    private var tokensEndBy: Int?

    init(files: DeviceFiles, clock: SupervisorClock) {
        drafts = files.receipts.file("draft.json")
        self.clock = clock
    }

    /// Loads the draft that the last process left.
    func load() throws {
        if let bytes = try drafts.read(limit: 64 << 10) {
            // If the draft cannot be read, its facts are lost: the receipt will state "unknown".
            draft = try? JSONCodec.read(ReceiptDraft.self, bytes)
        }
    }

    // MARK: - Recording

    /// Begins the draft of an epoch, when a sign-in begins.
    func begin(_ epoch: Epoch) throws {
        (times, observed, begun) = ([:], [], epoch)
        tokensEndBy = nil
        draft = ReceiptDraft(epoch: epoch, began: clock.now())
        try keepDraft()
        Failpoint.receiptBegun.reach()
    }

    /// Records that the end of an epoch is committed.
    func commit(_ ended: Epoch) {
        if draft?.epoch != ended { draft = nil }
        if draft?.committed == nil { draft?.committed = clock.now() }
    }

    /// Records that an item of the ending epoch is done.
    ///
    /// - Parameters:
    ///   - isObserved: whether this process itself observed that the item is done.
    ///   - isLater: whether the item counts as done only now, even if an earlier time was recorded.
    func mark(_ item: String, isObserved: Bool = false, isLater: Bool = false) {
        if isLater || times[item] == nil { times[item] = clock.now() }
        if isObserved { observed.insert(item) }
    }

    /// Whether this epoch began in this process. An epoch of an earlier process was not observed completely.
    func hasSeen(_ epoch: Epoch) -> Bool { begun == epoch }

    /// Writes the draft to disk.
    func keepDraft() throws {
        guard let draft else { return }
        try drafts.replace(with: try JSONCodec.bytes(draft))
    }

    /// Records that the server has opened a session, and the worker's pseudonym.
    func receive(subject: String?) throws {
        draft?.hasSession = true
        draft?.subject = subject.flatMap { Pseudonym.isOne($0) ? $0 : nil }
        try keepDraft()
        Failpoint.receiptSubjectKept.reach()
    }

    /// Records an offline sign-in, and the pseudonym from the worker's lease.
    func receive(offline subject: String?) throws {
        draft?.isOffline = true
        try receive(subject: subject)
    }

    /// Records that an access token expires at `time`. Called before an app gets the token. From then on, the receipt
    /// of this epoch states no expiry earlier than `time`.
    func receive(tokenUntil time: Int) throws {
        tokensEndBy = max(tokensEndBy ?? 0, time)
        guard time > draft?.tokensBound ?? 0 else { return }
        draft?.tokensBound = time + ReceiptDraft.ahead
        try keepDraft()
        Failpoint.receiptTokensKept.reach()
    }

    // MARK: - For the receipt

    /// The draft of this epoch; nil if it is lost.
    func draft(of ended: Epoch) -> ReceiptDraft? { draft?.epoch == ended ? draft : nil }

    /// Whether this process observed that the item is done.
    func isObserved(_ item: String) -> Bool { observed.contains(item) }

    /// When the item was done; nil if that is not known.
    func time(of item: String) -> Int? { times[item] }

    /// When the last token of a draft's epoch expires.
    func tokensEnd(of draft: ReceiptDraft?) -> Finding<Int> {
        guard let draft else { return .unknown }
        guard let bound = draft.tokensBound else { return .none }
        return .known(tokensEndBy.map { min($0, bound) } ?? bound)
    }

    // MARK: - The end

    /// Forgets the items, because their receipt is written.
    func forgetItems() { (times, observed) = ([:], []) }

    /// Removes the draft.
    func remove() throws {
        draft = nil
        try removeFile()
    }

    /// Removes the draft's file.
    func removeFile() throws { try drafts.remove() }
}
