// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// The response to ``Operation/getDefaultAccount``. The account's values are entries of the response itself. If nobody
/// is signed in, `success` is false, which is not an error.
package struct DefaultAccountResponse: Sendable, Equatable {
    package let account: AccountRecord?

    package init(account: AccountRecord?) { self.account = account }

    package var entries: FlatMap {
        var map = FlatMap()
        map.set(.success, flag: account != nil)
        // The id token's claims are an object, which a flat map cannot contain.
        for (name, value) in account?.json.object ?? [:] where value.string != nil {
            map[Key(rawValue: name)] = value.string
        }
        return map
    }

    /// Reads the account of a response.
    ///
    /// - Throws: ``BrokerError`` if the response reports success but has no readable account.
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
