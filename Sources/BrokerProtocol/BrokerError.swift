// SPDX-License-Identifier: Apache-2.0
package import JSON

/// An error that the broker returns instead of a response.
///
/// `message` is for developers: it contains a cause and a remedy, and no user data.
package struct BrokerError: Error, Equatable, Sendable {
    package let code: Code
    package let message: String
    /// The server's OAuth error and suberror, if an OAuth error of the server caused this error.
    package var oauthError: String?
    package var oauthSuberror: String?
    /// The server's numeric error codes, such as 50058 for `AADSTS50058`.
    package var serverCodes: [Int] = []
    /// Baton's stable code for a refusal by this broker, if one error code has several reasons.
    package var reason: Reason?

    package init(
        _ code: Code, _ message: String, reason: Reason? = nil, oauthError: String? = nil, oauthSuberror: String? = nil
    ) {
        self.code = code
        self.message = message
        self.reason = reason
        self.oauthError = oauthError
        self.oauthSuberror = oauthSuberror
    }

    /// The codes of the domain `MSIDErrorDomain`, with Microsoft's numbers.
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        package static let `internal` = Code(rawValue: -51100)
        package static let invalidParameter = Code(rawValue: -51111)
        package static let developerParameter = Code(rawValue: -51112)
        package static let missingAccount = Code(rawValue: -51113)
        package static let unsupported = Code(rawValue: -51114)
        package static let interactionRequired = Code(rawValue: -51115)
        package static let mismatchedAccount = Code(rawValue: -51117)
        package static let invalidRedirectURI = Code(rawValue: -51119)
        package static let server = Code(rawValue: -51400)
        package static let invalidRequest = Code(rawValue: -51410)
        package static let invalidClient = Code(rawValue: -51411)
        package static let invalidGrant = Code(rawValue: -51412)
        package static let invalidScope = Code(rawValue: -51413)
        package static let unauthorizedClient = Code(rawValue: -51414)
        package static let accessDenied = Code(rawValue: -51416)
        package static let serverError = Code(rawValue: -51417)
        package static let userCanceled = Code(rawValue: -51700)
        package static let programCanceled = Code(rawValue: -51701)
        package static let authorityInvalid = Code(rawValue: -51600)
        package static let interactionRunning = Code(rawValue: -51710)
        /// No page can be shown, for example because no agent is connected.
        package static let noWindow = Code(rawValue: -51720)
        /// The operation continues, but its end will not be reported.
        package static let unfinished = Code(rawValue: -51800)
        /// The app has not erased the last worker's data yet. The number is Baton's own.
        package static let appLocked = Code(rawValue: -51890)
        package static let corruptedAnswer = Code(rawValue: -51805)
        package static let workplaceJoinRequired = Code(rawValue: -51810)
        package static let brokerUnavailable = Code(rawValue: -51814)
        package static let network = Code(rawValue: -51500)

        /// Every code.
        package static let all: [Code] = [
            .internal, .invalidParameter, .developerParameter, .missingAccount, .unsupported, .interactionRequired,
            .mismatchedAccount, .invalidRedirectURI, .server, .invalidRequest, .invalidClient, .invalidGrant,
            .invalidScope, .unauthorizedClient, .accessDenied, .serverError, .userCanceled, .programCanceled,
            .authorityInvalid, .interactionRunning, .noWindow, .unfinished, .appLocked, .corruptedAnswer,
            .workplaceJoinRequired, .brokerUnavailable, .network,
        ]
    }

    /// The error for a reply that is neither a response nor an error of the broker.
    package static let unreadableAnswer = BrokerError(
        .corruptedAnswer, "The broker's answer cannot be read. Update the library and the broker.")

    /// Returns the error for a missing required key.
    package static func missing(_ key: Key) -> BrokerError {
        BrokerError(.invalidParameter, "The request lacks \(key.rawValue). Send it with a value.")
    }

    private static let domain = "MSIDErrorDomain"
    private enum Member {
        static let domain = "domain"
        static let code = "code"
        static let userInfo = "user_info"
        static let description = "MSIDErrorDescriptionKey"
        static let oauthError = "MSIDOAuthErrorKey"
        static let oauthSuberror = "MSIDOAuthSubErrorKey"
        static let serverCodes = "MSIDSTSErrorCodesKey"
        static let reason = "baton_reason"
    }

    package var json: JSONValue {
        var userInfo: [String: JSONValue] = [Member.description: .string(message)]
        if let reason { userInfo[Member.reason] = .string(reason.rawValue) }
        if let oauthError { userInfo[Member.oauthError] = .string(oauthError) }
        if let oauthSuberror { userInfo[Member.oauthSuberror] = .string(oauthSuberror) }
        if !serverCodes.isEmpty { userInfo[Member.serverCodes] = .array(serverCodes.map(JSONValue.integer)) }
        return .object([
            Member.domain: .string(Self.domain), Member.code: .integer(code.rawValue),
            Member.userInfo: .object(userInfo),
        ])
    }

    /// Reads the error in a reply; returns nil if the JSON is not an error of the broker.
    package init?(json: JSONValue) {
        guard let members = json.object, members[Member.domain]?.string == Self.domain,
            let code = members[Member.code]?.integer
        else { return nil }
        let userInfo = members[Member.userInfo]?.object ?? [:]
        self.init(
            Code(rawValue: code), userInfo[Member.description]?.string ?? "",
            reason: userInfo[Member.reason]?.string.map(Reason.init(rawValue:)),
            oauthError: userInfo[Member.oauthError]?.string,
            oauthSuberror: userInfo[Member.oauthSuberror]?.string)
        serverCodes = (userInfo[Member.serverCodes]?.array ?? []).compactMap(\.integer)
    }
}
