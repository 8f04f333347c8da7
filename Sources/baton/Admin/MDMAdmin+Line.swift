// SPDX-License-Identifier: Apache-2.0
import AdminAPI

extension MDMAdmin.Command {
    /// The command as one line for people.
    var line: String {
        let reasons = errors.map { "\($0.domain) \($0.code): \($0.message)" }
        return ([requestType, state, uuid] + reasons).joined(separator: "  ")
    }
}
