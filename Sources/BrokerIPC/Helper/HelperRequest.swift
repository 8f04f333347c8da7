// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol

/// What `batond` may ask of `baton-helper`, which runs as root. The list is closed: no request names a path, a program or a
/// process number.
///
/// A user is a session user of the helper's configuration, by number.
package enum HelperRequest: Sendable, Codable, Equatable {
    /// Which sessions have storage or a process group. Answered by ``HelperReply/sessions(storage:groups:)``.
    case list
    /// Makes memory-backed storage for this epoch, which only the user may enter. Answered by
    /// ``HelperReply/storage(path:isSwapFree:)``, also if it is there already.
    case makeStorage(epoch: Epoch.ID, user: UInt32)
    /// Removes the storage of this epoch, if there is any.
    case removeStorage(epoch: Epoch.ID)
    /// Puts a process of the user into the epoch's group. Its pidfd comes with the request; processes that it starts from then
    /// on are in the group, too, and cannot leave it.
    case addProcess(epoch: Epoch.ID, user: UInt32)
    /// Stops every process of the epoch's group.
    case freeze(epoch: Epoch.ID)
    /// Kills every process of the epoch's group, waits until each is gone, and removes the group, if there is one.
    case kill(epoch: Epoch.ID)
    /// Lists what the user owns in home and temporary folders and has changed since that moment, in seconds since 1970. Answered
    /// by ``HelperReply/left(home:files:isComplete:)``.
    case report(user: UInt32, since: Int)
}
