// SPDX-License-Identifier: Apache-2.0
import IdentityPlatform
import OAuth
import Storage

extension Bench {
    /// The name of a user that was made in bulk. The password is ``password``.
    static func userName(_ number: Int) -> String { "worker\(number)@\(domain)" }

    /// Adds a user, a device and a session for each number, in the state that they have during a shift: the user has
    /// signed in on the device and has used one app, whose token was refreshed once.
    ///
    /// - Parameter size: how many users there will be in the end.
    func fill(_ numbers: ClosedRange<Int>, of size: Int) async throws {
        try await BulkRows(bench: self, numbers: numbers, size: size, now: platform.environment.now()).fill()
    }
}

/// The rows for one range of numbers.
private struct BulkRows {
    let bench: Bench
    let numbers: ClosedRange<Int>
    let size: Int
    let now: Timestamp

    func fill() async throws { try await bench.platform.database.fill(people + credentials + records) }

    private var own: SQL { "\(bench.tenant.id)" }

    private func guid(_ kind: RowKind, of number: SQL = "n") -> SQL {
        bulkID(kind, size: size, of: number)
    }

    /// The directory: everyone is in a group of fifty.
    private var people: [SQL] {
        let name: SQL = "\("worker") || n || \("@" + Bench.domain)"
        let hash: SQL = """
            (SELECT passwordHash FROM person WHERE tenant = \(bench.tenant.id) AND loginName = \(Bench.amara))
            """
        return [
            rows(
                numbers, in: "person",
                [
                    "tenant": own, "id": guid(.person), "loginName": name, "userPrincipalName": name,
                    "displayName": "'Worker ' || n", "givenName": "'Worker'", "surname": "'Number ' || n",
                    "mail": name, "jobTitle": "'Nurse'", "mobilePhone": "'+1 555 ' || n", "accountEnabled": "1",
                    "passwordHash": hash, "created": "\(now)",
                ]),
            rows(
                numbers, in: "directoryGroup",
                [
                    "tenant": own, "id": guid(.group, of: "(n / 50)"), "displayName": "'Ward ' || n / 50",
                    "mailNickname": "'ward' || n / 50", "created": "\(now)",
                ], where: "n % 50 = 0 OR n = 1"),
            rows(
                numbers, in: "groupMember",
                ["tenant": own, "directoryGroup": guid(.group, of: "(n / 50)"), "person": guid(.person)]),
            rows(
                numbers, in: "device",
                [
                    "tenant": own, "id": guid(.device), "objectID": guid(.deviceObject),
                    "displayName": "'ward-' || n", "operatingSystem": "'Linux'", "operatingSystemVersion": "'12'",
                    "trustType": "'AzureAd'", "profileType": "'Shared'", "accountEnabled": "1", "isManaged": "1",
                    "managedAs": guid(.udid), "certificateHash": bulkHash(size: size),
                    "certificateExpires": "\(now + .seconds(3650 * 86_400))", "deviceKey": "randomblob(294)",
                    "transportKey": "randomblob(400)", "registered": "\(now)",
                    "epochID": "lower(hex(randomblob(16)))", "epochCounter": "1", "epochClosed": "0",
                ]),
            rows(
                numbers, in: "session",
                [
                    "tenant": own, "id": guid(.session), "person": guid(.person), "device": guid(.device),
                    "sharedDevice": "1", "epochCounter": "1", "methods": "'pwd'", "begun": "\(now)",
                    "browser": bulkHash(size: size), "fromDeviceCode": "0",
                ]),
        ]
    }

    /// The rows of the credentials. No known text has one of their hashes.
    private var credentials: [SQL] {
        let end: SQL = "\(now + .seconds(14 * 86_400))"
        func tokens(_ client: SQL, family: SQL, generation: Int, isUsed: Bool) -> SQL {
            rows(
                numbers, in: "refreshToken",
                [
                    "tenant": own, "hash": bulkHash(size: size), "family": family, "session": guid(.session),
                    "client": client, "scope": "'openid offline_access User.Read'", "ofPrimary": "1",
                    "issued": "\(now)", "expires": end, "generation": "\(generation)",
                    "used": isUsed ? "\(now)" : "NULL",
                ])
        }
        let (broker, app): (SQL, SQL) = ("\(WellKnownApplication.broker)", "\(bench.curveApp.id)")
        let (proof, family): (SQL, SQL) = ("'proof' || \(guid(.session))", "'family' || \(guid(.session))")
        return [
            tokens(broker, family: proof, generation: 0, isUsed: true),
            tokens(app, family: family, generation: 0, isUsed: true),
            tokens(app, family: family, generation: 1, isUsed: false),
            rows(
                numbers, in: "primaryRefreshToken",
                [
                    "tenant": own, "hash": bulkHash(size: size), "session": guid(.session), "device": guid(.device),
                    "client": broker, "sealedSessionKey": "randomblob(60)", "proofFamily": proof, "family": family,
                    "expires": end, "confirmed": "1",
                ]),
            rows(
                numbers, in: "browserSession",
                ["tenant": own, "hash": bulkHash(size: size), "session": guid(.session), "expires": end]),
        ]
    }

    /// The rows that a sign-in creates in addition to the session.
    private var records: [SQL] {
        let last: SQL = "(SELECT COALESCE(MAX(position), 0) FROM audit WHERE tenant = \(bench.tenant.id))"
        return [
            rows(
                numbers, in: "deviceBrowser",
                [
                    "browser": bulkHash(size: size), "tenant": own, "device": guid(.device), "sharedDevice": "1",
                    "epochCounter": "1", "session": guid(.session), "person": guid(.person), "noted": "\(now)",
                ]),
            rows(
                numbers, in: "signInThrottle",
                [
                    "tenant": own, "kind": "'familiarAtDevice'", "hash": bulkHash(size: size), "drained": "\(now)",
                    "expires": "\(now + .seconds(30 * 86_400))", "nameHash": bulkHash(size: size),
                ]),
            rows(
                numbers, in: "audit",
                [
                    "tenant": own, "position": "\(last) + 1 + n - \(numbers.lowerBound)", "time": "\(now)",
                    "actor": guid(.person), "action": "\(AuditAction.signIn)",
                    "subject": "\(WellKnownApplication.broker)", "outcome": "'done'", "repetitions": "1",
                    "method": "'page'", "correlation": "lower(hex(randomblob(16)))",
                ]),
        ]
    }
}
