// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol

/// A request from `batond` to `baton-helper`, which runs as root. There are only these requests: none names a path, a
/// program or a process id.
///
/// `user` is the user id of a session user in the helper's configuration.
package enum HelperRequest: Sendable, Codable, Equatable {
    /// Lists the sessions that have storage or a process group. Answered by ``HelperReply/sessions(storage:groups:)``.
    case list
    /// Makes memory-backed storage for this epoch. Only the user may enter it. Answered by
    /// ``HelperReply/storage(path:isSwapFree:)``, even if the storage exists already.
    case makeStorage(epoch: Epoch.ID, user: UInt32)
    /// Removes the storage of this epoch, if there is any.
    case removeStorage(epoch: Epoch.ID)
    /// Puts a process of the user into the epoch's group. The process's pidfd comes with the request. Processes that it
    /// starts from then on are also in the group and cannot leave the group.
    case addProcess(epoch: Epoch.ID, user: UInt32)
    /// Kills every process of the epoch's group, waits until each is gone, and removes the group, if there is one.
    case kill(epoch: Epoch.ID)
    /// Lists the user's files in every ``SearchedPlace`` that have changed since this time, in seconds since 1970.
    /// Below the user's home, files of every owner count. Answered by
    /// ``HelperReply/left(home:files:unread:foldersSearched:)``.
    case report(user: UInt32, since: Int)
}
