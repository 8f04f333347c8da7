// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import CommandLineInterface

extension OperatorClient {
    /// Makes the device carry out the MDM's pending commands. If a sign-out is running, for example one that the last
    /// run left unfinished, waits for its end first, because the device postpones commands during a sign-out.
    ///
    /// - Throws: ``CommandFailure``.
    func checkIn() async throws {
        if try await status().session == "signingOut" {
            // The answer to a second request comes at the end of the running sign-out.
            _ = try await ask(.signOut(fromBrowser: false))
        }
        _ = try await ask(.checkIn)
    }
}
