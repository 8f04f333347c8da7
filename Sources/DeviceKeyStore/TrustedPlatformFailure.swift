// SPDX-License-Identifier: Apache-2.0

/// Why a request to the TPM that keeps the device's keys failed.
package enum TrustedPlatformFailure: Error, Equatable {
    /// The TPM cannot be reached: the TPM is missing or configured wrongly, or this process may not use it.
    case unavailable(cause: String)
    /// The TPM was reached, but did not answer in time.
    case unresponsive
    /// The authorization differs from the authorization with which the secret was sealed.
    case wrongAuthorization
    /// There were too many wrong authorizations. The TPM decreases its count over time.
    case lockedOut
    /// Another TPM made the data, this TPM has been cleared since then, or the data was changed.
    case foreign
    /// The TPM's owner has set an authorization that Baton does not have.
    case owned
    /// The TPM refused the request with this response code of the TPM 2.0 library (part 2, section 6.6).
    case refused(code: UInt32)

    /// A stable code, for programs.
    package var code: String {
        switch self {
        case .unavailable: "tpm_unavailable"
        case .unresponsive: "tpm_unresponsive"
        case .wrongAuthorization: "tpm_wrong_authorization"
        case .lockedOut: "tpm_locked_out"
        case .foreign: "tpm_foreign"
        case .owned: "tpm_owned"
        case .refused: "tpm_refused"
        }
    }

    package var cause: String {
        switch self {
        case .unavailable(let cause): "the TPM cannot be used: \(cause)"
        case .unresponsive: "the TPM does not answer"
        case .wrongAuthorization: "the authorization is wrong"
        case .lockedOut: "the TPM is locked after too many wrong authorizations"
        case .foreign: "another TPM made this, or the TPM was cleared or changed since"
        case .owned: "the TPM's owner hierarchy has an authorization"
        case .refused(let code): "the TPM refused with 0x" + String(code, radix: 16)
        }
    }

    /// The operator's next step.
    package var remedy: String {
        switch self {
        case .unavailable:
            "Check tpm in batond.json, and that the broker's user may open the TPM's device file; then restart batond."
        case .unresponsive: "Look for the TPM in the kernel's log; restart the machine."
        case .wrongAuthorization: "Try again with the right authorization; each wrong one counts."
        case .lockedOut: "Wait: tpm2_getcap properties-variable says how long. Or clear it with tpm2_dictionarylockout."
        case .foreign: "Put the device's own state and TPM together again, or run: baton device recover."
        case .owned: "Remove the owner's authorization (tpm2_changeauth -c owner), or leave tpm out of batond.json."
        case .refused: "Look the number up with tpm2_rc_decode."
        }
    }
}

extension TrustedPlatformFailure: CustomStringConvertible {
    package var description: String { "\(code): \(cause). \(remedy)" }
}
