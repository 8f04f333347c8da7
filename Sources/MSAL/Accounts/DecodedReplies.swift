// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Redaction
internal import Synchronization

/// What the library decoded from the broker's replies, by the exact text that was decoded.
///
/// All replies of a worker's session contain the same id token and the same account, and decoding them took most of a
/// call's time. The values are immutable. A connection to the broker belongs to one epoch, so everything is dropped
/// when the connection ends.
final class DecodedReplies: Sendable {
    private struct State {
        var owners = Recent<TokenOwner>()
        var accounts = Recent<SignedInAccounts>()
    }

    private let state = Mutex(State())

    /// Returns the owner of a token.
    ///
    /// - Throws: as ``TokenOwner/init(_:)``. An error is not kept.
    func owner(of response: TokenResponse) throws(BrokerError) -> TokenOwner {
        let source = [response.idToken, response.clientInfo, response.authority]
        if let known = state.withLock({ $0.owners.value(for: source) }) { return known }
        let owner = try TokenOwner(response)
        state.withLock { $0.owners.keep(owner, for: source) }
        return owner
    }

    /// Returns the accounts that a response lists.
    ///
    /// - Throws: `BrokerError` if they cannot be read. An error is not kept.
    func accounts(of response: FlatMap) throws(BrokerError) -> SignedInAccounts {
        let source = [response[.accounts] ?? ""]
        if let known = state.withLock({ $0.accounts.value(for: source) }) { return known }
        let accounts = SignedInAccounts(records: try AccountsResponse(response).accounts)
        state.withLock { $0.accounts.keep(accounts, for: source) }
        return accounts
    }

    func removeAll() { state.withLock { $0 = State() } }
}

/// The accounts that the broker lists, in its form and as apps see them.
struct SignedInAccounts: Sendable {
    let records: [AccountRecord]
    let accounts: [MSALAccount]

    init(records: [AccountRecord]) {
        self.records = records
        accounts = records.map(MSALAccount.init(_:))
    }
}

/// The most recent values, each with the texts that it was made from.
private struct Recent<Value: Sendable>: Sendable {
    /// A process usually has one client id, rarely a few more; each has an id token of its own.
    private static var maximum: Int { 4 }

    private var entries: [(source: [String], value: Value)] = []

    /// The value that was made from texts with exactly these bytes.
    func value(for source: [String]) -> Value? {
        entries.first { zip($0.source, source).allSatisfy(Self.areSame) }?.value
    }

    /// Compares bytes, since equal strings may differ in theirs.
    private static func areSame(_ left: String, _ right: String) -> Bool {
        unsafe equalInConstantTime(left.utf8Span.span.bytes, right.utf8Span.span.bytes)
    }

    mutating func keep(_ value: Value, for source: [String]) {
        if entries.count == Self.maximum { entries.removeFirst() }
        entries.append((source, value))
    }
}
