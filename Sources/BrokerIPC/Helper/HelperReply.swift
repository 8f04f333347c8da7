// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol

/// A reply from `baton-helper`; each request gets exactly one.
package enum HelperReply: Sendable, Codable, Equatable {
    case done
    /// The epochs that have storage, and those that have a process group; sorted.
    case sessions(storage: [Epoch.ID], groups: [Epoch.ID])
    /// The storage's folder, and whether the kernel keeps it out of swap.
    case storage(path: String, isSwapFree: Bool)
    /// The user's files, as absolute paths. `unread` lists the places that could not be read completely, or whose files
    /// the reply cannot hold; sorted. `foldersSearched` is the time at which the search for
    /// ``SearchedPlace/otherFolders`` began, in seconds since the machine was started, because the time of day may be
    /// set back; nil if no such search has ended yet.
    case left(home: String, files: [String], unread: [SearchedPlace], foldersSearched: Int?)
    case refused(HelperRefusal)

    private enum RefusedCodingKeys: String, CodingKey { case _0 = "refusal" }
}

/// Why the helper did not carry out a request.
package struct HelperRefusal: Error, Sendable, Codable, Equatable, CustomStringConvertible {
    /// Stable codes for other programs.
    package enum Code: String, Sendable, Codable, CaseIterable {
        case callerNotAllowed = "caller_not_allowed"
        case requestMalformed = "request_malformed"
        case userNotAllowed = "user_not_allowed"
        case processMissing = "process_missing"
        case processNotAllowed = "process_not_allowed"
        case tooManySessions = "too_many_sessions"
        case storageBusy = "storage_busy"
        case storageUnavailable = "storage_unavailable"
        case groupsUnavailable = "groups_unavailable"
        case processesRemain = "processes_remain"
        /// The broker cannot reach the helper; the helper itself never sends this code.
        case unavailable = "helper_unavailable"
    }

    package let code: Code
    /// Cause and remedy in one or two sentences.
    package let message: String

    package init(_ code: Code, _ message: String) {
        (self.code, self.message) = (code, message)
    }

    package var description: String { "\(message) [\(code.rawValue)]" }
}
