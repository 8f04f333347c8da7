// SPDX-License-Identifier: Apache-2.0

/// What the broker can tell apart by the kernel's word: an app of a user.
///
/// Programs of the session are one app here; ``AppProcess`` tells them from each other.
package struct ConnectedApp: Sendable, Hashable {
    package let user: UInt32
    let identity: AppIdentity
}

/// Who pays for a connection: the process that made it. It is a label (unix(7)), good enough to share places by, and never
/// decides what anybody may do.
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
