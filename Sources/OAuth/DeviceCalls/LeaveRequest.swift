// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// A device's request to leave the directory. Leaving ends the device's registration and its sessions.
package struct LeaveRequest: DeviceCall {
    package let binding: CallBinding

    package init(_ binding: CallBinding) { self.binding = binding }

    package static func path(tenant: String) -> String { EndpointPath.leave(tenant: tenant) }

    package init(_ claims: Members) throws(MembersFailure) { binding = try CallBinding(claims) }

    package func write(to payload: inout MembersWriter) {}

    /// Whether the reply confirms that the device is no longer registered.
    package static func isConfirmed(by reply: [UInt8]) -> Bool {
        do { return try Members(decoding: reply)[ReplyName.left] == .bool(true) } catch { return false }
    }
}
