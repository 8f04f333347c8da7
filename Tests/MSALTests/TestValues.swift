// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import MSAL
import Testing

/// The workers, devices and tokens that the tests use.
enum TestValues {
    static let tenant = "11111111-2222-3333-4444-555555555555"
    static let amara = account("amara", uid: "aaaaaaaa-0000-0000-0000-000000000001")
    static let bo = account("bo", uid: "bbbbbbbb-0000-0000-0000-000000000002")
    static let shared = device(.shared)

    static func device(_ mode: DeviceInfo.Mode) -> DeviceInfo {
        DeviceInfo(
            mode: mode, reason: "configured", brokerVersion: "1",
            registration: DeviceInfo.Registration(
                deviceID: "d", tenantID: tenant, cloudHost: "login.baton.test", thumbprint: "AB"))
    }

    static func account(_ name: String, uid: String) -> AccountRecord {
        AccountRecord(
            homeAccountID: "\(uid).\(tenant)", localAccountID: uid, realm: tenant, environment: "login.baton.test",
            username: "\(name)@baton.test")
    }

    static func epoch(_ counter: UInt64) -> Epoch {
        var bits = RandomBits()
        return Epoch(random: &bits, counter: counter)
    }

    static func current(_ current: AccountRecord?, previous: AccountRecord?, _ epoch: Epoch = epoch(1)) -> FlatMap {
        CurrentAccount(current: current, previousHomeAccountID: previous?.homeAccountID, epoch: epoch).entries
    }

    static func token(_ account: AccountRecord, accessToken: String = "token", scopes: [String] = ["User.Read"])
        -> FlatMap
    {
        TokenResponse(
            authority: "https://login.baton.test/\(tenant)", accessToken: accessToken,
            idToken: "e30.\(base64URL(#"{"preferred_username":"\#(account.username)"}"#)).c2ln", scopes: scopes,
            expiresOn: 2_000_000_000,
            clientInfo: base64URL(#"{"uid":"\#(account.localAccountID)","utid":"\#(account.realm)"}"#)
        ).entries
    }

    static func base64URL(_ text: String) -> String {
        Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
            "=", with: "")
    }
}

/// The system's random numbers. The stored property gives the type a size; see `Zeros` in `SessionMachineTests`.
private struct RandomBits: RandomNumberGenerator {
    private var last: UInt64 = 0

    mutating func next() -> UInt64 {
        last = .random(in: .min ... .max)
        return last
    }
}

/// The parts of an error that an app reads.
struct Seen: Equatable, CustomStringConvertible {
    let domain: String
    let code: Int
    let internalCode: Int?
    let text: String

    init(_ error: any Error) {
        let error = error as NSError
        domain = error.domain
        code = error.code
        internalCode = error.userInfo[MSALInternalErrorCodeKey] as? Int
        text = error.userInfo[MSALErrorDescriptionKey] as? String ?? ""
    }

    var description: String { "\(code)/\(internalCode ?? 0) \(text)" }

    /// The internal code; nil if errors with this domain or code have no internal code, or if there is no text.
    var asInternal: MSALInternalError? {
        guard domain == MSALErrorDomain, code == MSALError.internal.rawValue, !text.isEmpty else { return nil }
        return internalCode.flatMap(MSALInternalError.init(rawValue:))
    }
}

/// Runs `body` and returns the error that it throws. Throws ``ScriptFailure`` if `body` throws no error.
func seen<Value>(_ body: () async throws -> Value) async throws -> Seen {
    do {
        _ = try await body()
    } catch { return Seen(error) }
    throw ScriptFailure()
}
