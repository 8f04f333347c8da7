// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

extension Client {
    /// Whether a broker answers, be it with a refusal (BRK-4); waits for it on the caller's thread.
    var isBrokerAvailable: Bool {
        waited { complete in
            ask(.getDeviceInfo, request(UUID()).entries, within: Self.patience) { outcome in
                if case .failure(let failure) = outcome, case .refused = failure { return complete(true) }
                complete((try? outcome.get()) != nil)
            }
        }
    }

    /// Ends the interactive sign-in that the process has under way (INT-10).
    ///
    /// - Returns: whether there was one.
    static func cancelLogin(through broker: BrokerConnection) -> Bool { broker.cancelSignIn() }
}
