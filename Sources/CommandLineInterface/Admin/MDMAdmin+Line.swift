// SPDX-License-Identifier: Apache-2.0
package import AdminAPI

extension MDMAdmin.Command {
    /// The command as one line of output.
    package var line: String { ([requestType, subject ?? "-", state, uuid] + reasons).joined(separator: "  ") }

    /// The reasons why the device did not carry out the command or a part of it.
    package var reasons: [String] { errors.map { "\($0.domain) \($0.code): \($0.message)" } }
}
