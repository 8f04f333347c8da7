// SPDX-License-Identifier: Apache-2.0

/// Who connected, in the kernel's word.
package struct PeerRecord: Sendable, Codable, Equatable {
    /// A label for logs: 0 where the process that connected had ended by the time of the accept, since its number may be
    /// another's then.
    package let pid: Int32
    package let uid: UInt32
    package let identity: AppIdentity

    package init(pid: Int32, uid: UInt32, identity: AppIdentity) {
        self.pid = pid
        self.uid = uid
        self.identity = identity
    }
}
