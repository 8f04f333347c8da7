// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

extension Fault {
    /// Maps the failure of a call to the broker to the error that the app gets.
    init(link failure: LinkFailure) {
        switch failure {
        case .switchedOff: self.init(.brokerSwitchedOff)
        case .personalDevice: self.init(.personalDevice)
        case .unreachable(let reason): self.init(.brokerSilent, detail: "The reason is: \(reason).")
        case .untrusted: self.init(.brokerUntrusted)
        case .incompatible: self.init(.brokerIncompatible)
        case .ended: self.init(.connectionEnded)
        case .tooLate: self.init(.brokerTooLate)
        case .corrupted: self.init(.brokerCorrupted)
        case .canceled: self.init(.signInCanceled)
        case .forked: self.init(.processForked)
        case .overloaded: self.init(.callsTooMany)
        case .tooLong: self.init(.parametersTooLong)
        case .refused(let error): self.init(broker: error)
        }
    }

    /// Maps a broker's error to the app's error (ERR-2, ERR-3, ERR-6). An unknown error code counts as a failure of the
    /// broker.
    init(broker error: BrokerError) {
        self.init(Problem(error), words: error.message)
        keepServersWords(error)
    }

    /// Maps an OAuth error of a silent call. The error becomes "interaction required", except for errors that no user
    /// can resolve (SIL-9).
    init(silent error: BrokerError) {
        let problem = Problem(error)
        let canMend = error.oauthError != nil && !Self.beyondPeople.contains(problem)
        self.init(canMend ? .interactionRequired : problem, words: error.message)
        keepServersWords(error)
    }

    private static let beyondPeople: Set<Problem> = [
        .scopeInvalid, .clientInvalid, .protectionPolicy, .passwordReset, .scopesDeclined, .serverFailed,
    ]

    private mutating func keepServersWords(_ error: BrokerError) {
        oauthError = error.oauthError
        oauthSuberror = error.oauthSuberror
        serverCodes = error.serverCodes
        reason = error.reason?.rawValue.wholeMatch(of: /[a-z0-9_]{1,64}/).map { String($0.output) }
    }

    /// Maps a response that cannot be interpreted. The app then always gets an error; the library never guesses an
    /// answer.
    init(unreadable error: BrokerError) {
        self.init(error.code == .multipleAccounts ? .severalAccounts : .answerUnreadable, words: error.message)
    }
}

extension Problem {
    /// The problem that a broker's error corresponds to (ERR-6).
    ///
    /// Three problems are recognised by the identity platform's error, because other brokers may report a general code.
    fileprivate init(_ error: BrokerError) {
        let problem = Self.numbers[error.code.rawValue] ?? .brokerFailed
        self =
            switch problem {
            case .appUnregistered where error.oauthSuberror == "protection_policy_required": .protectionPolicy
            case .requestInvalid where error.serverCodes.contains(50142): .passwordReset
            case .serverRefused where error.oauthError == "temporarily_unavailable": .serverFailed
            default: problem
            }
    }

    private static let numbers: [Int: Problem] = [
        -50142: .passwordReset,
        -51112: .parameterRefused,
        -51113: .accountRefused,
        -51115: .interactionRequired,
        -51117: .otherWorker,
        -51118: .redirectSchemeUnregistered,
        -51119: .redirectURIUnregistered,
        -51200: .severalAccounts,
        -51400: .serverRefused,
        -51401: .serverAnswer,
        -51410: .requestInvalid,
        -51411: .clientInvalid,
        -51412: .grantInvalid,
        -51413: .scopeInvalid,
        -51414: .appUnregistered,
        -51415: .scopesDeclined,
        -51416: .signInCanceled,
        -51417: .serverFailed,
        -51430: .protectionPolicy,
        -51500: .networkFailed,
        -51501: .serverStatus,
        -51600: .authorityRefused,
        -51700: .signInCanceled,
        -51701: .signInCanceled,
        -51710: .signInRunning,
        -51720: .windowMissing,
        -51800: .brokerAnswerMissing,
        -51805: .brokerAnswerCorrupted,
        -51810: .joinRequired,
        -51811: .brokerAnswerUnknown,
        -51814: .sharedModeIncomplete,
        -51890: .appLocked,
    ]
}

extension BrokerError.Code {
    /// The broker lists several accounts but only one account is possible (CUR-3).
    static let multipleAccounts = Self(rawValue: -51200)
}
