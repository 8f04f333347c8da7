// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// The answer to ``Operation/getDefaultAccount``: the account's texts lie flat among the response's own; with nobody signed
/// in the response says no success, and is no error either.
package struct DefaultAccountResponse: Sendable, Equatable {
    package let account: AccountRecord?

    package init(account: AccountRecord?) { self.account = account }

    package var entries: FlatMap {
        var map = FlatMap()
        map.set(.success, flag: account != nil)
        // The id token's claims are an object, which a flat map has no place for.
        for (name, value) in account?.json.object ?? [:] where value.string != nil {
            map[Key(rawValue: name)] = value.string
        }
        return map
    }

    /// Reads the account out of a response.
    ///
    /// - Throws: ``BrokerError`` for a success without an account that can be read.
    package init(_ map: FlatMap) throws(BrokerError) {
        guard map.flag(.success, default: false) else {
            self.init(account: nil)
            return
        }
        guard let account = AccountRecord(json: map.json) else {
            throw BrokerError(.invalidParameter, "The broker's account cannot be read. Update the broker.")
        }
        self.init(account: account)
    }
}
