// SPDX-License-Identifier: Apache-2.0
package import DeviceSettings
package import Processes

/// The process that connected, as the kernel reports it.
package struct PeerRecord: Sendable, Codable, Equatable {
    /// The process id, used only as a label in logs. It is 0 if the process had already ended when the connection was
    /// accepted, because the id may then belong to another process.
    package let pid: Int32
    package let uid: UInt32
    package let identity: AppIdentity
    /// Identifies the process even if its id is reused, so that the process can be ended with the session; nil if it
    /// had already ended or could not be determined.
    package let name: ProcessTable.Name?

    package init(pid: Int32, uid: UInt32, identity: AppIdentity, name: ProcessTable.Name? = nil) {
        self.pid = pid
        self.uid = uid
        self.identity = identity
        self.name = name
    }
}
