// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import FoundationEssentials
internal import NIOHTTP1

/// An answer that refuses a request.
struct AdminRefusal: Sendable {
    /// What the client can do about a refusal.
    enum Remedy: Sendable, Equatable {
        /// Show it to the person.
        case none
        /// Send another token.
        case token
        /// Sign in again; the sign-in may be this many seconds old (RFC 9470).
        case stepUp(seconds: Int)
        /// Wait for this many seconds (RFC 9110 section 10.2.3).
        case wait(seconds: Int)
    }

    let remedy: Remedy
    let failure: CommandFailure

    /// - Parameter isLocal: whether the answer came through the server's socket.
    init(status: Int, headers: HTTPHeaders, body: [UInt8], isLocal: Bool = false) {
        let reason = try? JSONDecoder().decode(AdminFailure.self, from: Data(body)).error
        remedy = Self.remedy(status, headers, code: reason?.code)
        failure =
            isLocal && reason == nil && status == 403 ? Self.otherUser : Self.failure(status, reason, remedy: remedy)
    }

    /// The failure for a user whom the server does not admit to its socket.
    private static let otherUser = CommandFailure(
        code: "socket_refused",
        message: "Only root and the user that runs baton-server may administer the server through its socket.",
        remedy: "Run the command as one of them, for example with sudo, or give --url and sign in.")

    private static func remedy(_ status: Int, _ headers: HTTPHeaders, code: String?) -> Remedy {
        switch status {
        case 401:
            let challenge = headers[canonicalForm: "WWW-Authenticate"].joined(separator: ", ")
            guard code == "admin.stepUp" || challenge.contains("insufficient_user_authentication") else {
                return .token
            }
            let named = challenge.firstMatch(of: /max_age="?(\d{1,5})/).flatMap { Int($0.output.1) }
            return .stepUp(seconds: named ?? defaultAge)
        case 429:
            let seconds = headers.first(name: "Retry-After").flatMap(Int.init) ?? -1
            return (0...86_400).contains(seconds) ? .wait(seconds: seconds) : .none
        default: return .none
        }
    }

    private static let defaultAge = 300

    private static func failure(_ status: Int, _ reason: AdminFailure.Reason?, remedy: Remedy) -> CommandFailure {
        guard let reason else {
            guard !(300...399).contains(status) else {
                return CommandFailure(
                    code: "server_redirect", message: "The server redirects to another address, which is not followed.",
                    remedy: "Give the address of the server's administration itself.")
            }
            return CommandFailure(
                code: "server_status_\(status)", message: "The server answered with status \(status).",
                remedy: "Look at the server's log.")
        }
        var failure = CommandFailure(code: reason.code, message: reason.message, remedy: reason.remedy)
        if case .wait(let seconds) = remedy {
            let time = TextTable.time(Int64(WallClock.seconds + seconds) * 1000)
            failure = failure.withRemedy("Try again in \(seconds) seconds, at \(time).")
        }
        (failure.candidates, failure.moreCandidates) = (reason.candidates, reason.moreCandidates)
        failure.changed = reason.changed
        return failure
    }
}
