// SPDX-License-Identifier: Apache-2.0
package import DeviceSettings

/// An app of a user, as far as the kernel lets the broker distinguish apps.
///
/// All programs of one user's session count as one app here; ``AppProcess`` distinguishes them.
package struct ConnectedApp: Sendable, Hashable {
    package let user: UInt32
    let identity: AppIdentity
}

/// The process that made a connection; connections are counted per process. The process id is only a label (unix(7)):
/// it suffices to share connections fairly, and is never used for authorization.
package struct AppProcess: Sendable, Hashable {
    package let app: ConnectedApp
    let number: Int32

    package init(user: UInt32, identity: AppIdentity, number: Int32) {
        app = ConnectedApp(user: user, identity: identity)
        self.number = number
    }
}

extension PeerRecord {
    package var process: AppProcess { AppProcess(user: uid, identity: identity, number: pid) }
}
