// SPDX-License-Identifier: Apache-2.0
import AdminAPI

extension MDMAdmin.Command {
    /// The command as one line for people.
    var line: String { ([requestType, subject ?? "-", state, uuid] + reasons).joined(separator: "  ") }

    /// Why the device did not do it, or not all of it.
    var reasons: [String] { errors.map { "\($0.domain) \($0.code): \($0.message)" } }
}
