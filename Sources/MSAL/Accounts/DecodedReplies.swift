// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Redaction
internal import Synchronization

/// A cache of values decoded from the broker's replies. The key is the exact text that was decoded.
///
/// All replies of a worker's session contain the same id token and the same account. Without the cache, decoding them
/// takes most of a call's time. The values are immutable. A connection to the broker belongs to one epoch, so the cache
/// is emptied when the connection ends.
final class DecodedReplies: Sendable {
    private struct State {
        var owners = Recent<TokenOwner>()
        var accounts = Recent<SignedInAccounts>()
    }

    private let state = Mutex(State())

    /// Returns the owner of a token.
    ///
    /// - Throws: the errors of ``TokenOwner/init(_:)``. Errors are not cached.
    func owner(of response: TokenResponse) throws(BrokerError) -> TokenOwner {
        let source = [response.idToken, response.clientInfo, response.authority]
        if let known = state.withLock({ $0.owners.value(for: source) }) { return known }
        let owner = try TokenOwner(response)
        state.withLock { $0.owners.keep(owner, for: source) }
        return owner
    }

    /// Returns the accounts that a response lists.
    ///
    /// - Throws: `BrokerError` if they cannot be read. Errors are not cached.
    func accounts(of response: FlatMap) throws(BrokerError) -> SignedInAccounts {
        let source = [response[.accounts] ?? ""]
        if let known = state.withLock({ $0.accounts.value(for: source) }) { return known }
        let accounts = SignedInAccounts(records: try AccountsResponse(response).accounts)
        state.withLock { $0.accounts.keep(accounts, for: source) }
        return accounts
    }

    func removeAll() { state.withLock { $0 = State() } }
}

/// The accounts that the broker lists, both as the broker's records and as the objects that apps get.
struct SignedInAccounts: Sendable {
    let records: [AccountRecord]
    let accounts: [MSALAccount]

    init(records: [AccountRecord]) {
        self.records = records
        accounts = records.map(MSALAccount.init(_:))
    }
}

/// The most recently decoded values, each with the texts from which it was decoded.
private struct Recent<Value: Sendable>: Sendable {
    /// A process usually has one client id, rarely a few more. Each client id has an id token of its own.
    private static var maximum: Int { 4 }

    private var entries: [(source: [String], value: Value)] = []

    /// Returns the value that was decoded from texts with exactly these bytes; nil if there is none.
    func value(for source: [String]) -> Value? {
        entries.first { zip($0.source, source).allSatisfy(Self.areSame) }?.value
    }

    /// Compares bytes, because two strings with different bytes can be equal in Swift.
    private static func areSame(_ left: String, _ right: String) -> Bool {
        unsafe equalInConstantTime(left.utf8Span.span.bytes, right.utf8Span.span.bytes)
    }

    mutating func keep(_ value: Value, for source: [String]) {
        if entries.count == Self.maximum { entries.removeFirst() }
        entries.append((source, value))
    }
}
