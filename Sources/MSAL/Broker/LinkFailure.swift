// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol

/// Why a call to the broker got no response.
///
/// `personalDevice` is the only case that states a fact about the device. Every other case means that the answer could
/// not be determined, and must never be treated as an answer.
package enum LinkFailure: Error, Equatable {
    /// The app has switched off brokered calls (BRK-1).
    case switchedOff
    /// There is no socket, and nothing marks the device as managed.
    case personalDevice
    /// The device is managed, or had a broker before, but no broker answers. `reason` says why.
    case unreachable(reason: String)
    /// The listening process belongs neither to root, nor to this user, nor to the owner of the socket's folder.
    case untrusted(uid: UInt32)
    /// The broker and this library have no transport version in common.
    case incompatible
    /// The connection ended before the reply; it is unknown whether the broker executed the request.
    case ended
    /// The broker sent data that is not a message of the protocol.
    case corrupted
    /// No reply arrived in time.
    case tooLate
    /// The app cancelled the sign-in.
    case canceled
    /// The process is a child of fork() without exec(); only its parent has the connection.
    case forked
    /// Too many calls are already waiting.
    case overloaded
    /// The parameters exceed the broker's limit. Nothing was sent, because an oversized frame would end the connection
    /// for all calls.
    case tooLong
    /// The broker answered with an error.
    case refused(BrokerError)
}

extension LinkFailure {
    /// Whether a retry within the same second could succeed.
    package var isPassing: Bool {
        switch self {
        case .unreachable, .ended, .corrupted, .tooLate, .overloaded: true
        case .switchedOff, .personalDevice, .untrusted, .incompatible, .canceled, .forked, .tooLong, .refused: false
        }
    }
}

extension LinkFailure {
    /// The error that apps get.
    package var error: NSError { Fault(link: self).error() }
}
