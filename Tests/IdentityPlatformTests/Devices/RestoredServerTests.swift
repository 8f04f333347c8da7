// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import AdminServer
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import Receipts
import Storage
import TestSupport
import Testing

/// Devices at a server whose database was restored to an earlier point.
@Suite struct RestoredServerTests {
    private let key = P256.Signing.PrivateKey()

    /// A device that had a session before the backup, and its platform before and after the restore.
    private struct Shop {
        let before: TestDevice
        let backup: any Database

        init(_ prepare: (TestDevice) async throws -> Void = { _ = try await $0.session(counter: 5).end() }) async throws
        {
            let fixture = try await TestPlatform()
            before = try await TestDevice.joined(fixture)
            try await prepare(before)
            backup = try await fixture.backup()
        }

        /// The same device at the restored server.
        func restored() async throws -> TestDevice {
            var device = try TestDevice(try await before.fixture.restored(from: backup))
            device.certificate = before.certificate
            return device
        }
    }

    @Test func `a device that is signed in signs out, is reported, and works again`() async throws {
        let shop = try await Shop()
        let session = try await shop.before.session(counter: 9)
        let device = try await shop.restored()
        #expect(try await device.fixture.ahead(device).isEmpty)
        // The device asks whether its session is alive, and signs out after the answer.
        for _ in 1...2 {
            #expect(try await device.status(counter: 9, sessionID: session.reply.sessionID) == .ended)
        }
        #expect(try await device.fixture.ahead(device) == ["epoch 9"])
        #expect(try await device.fixture.isListedAsAhead(device))
        let after = TestDeviceSession(
            testDevice: device, reply: session.reply, key: session.key, counter: 9, brokerRefreshToken: "")
        #expect(try await after.end().status == .ok)
        let next = try await device.session("bo@contoso.test", counter: 11)
        #expect(try await next.status() == .live)
        #expect(try await device.fixture.ahead(device) == ["epoch 9"])
    }

    @Test func `a sign-out that the device reports after the restore is reported to the administrator`() async throws {
        let shop = try await Shop()
        let session = try await shop.before.session(counter: 9)
        let device = try await shop.restored()
        let after = TestDeviceSession(
            testDevice: device, reply: session.reply, key: session.key, counter: 9, brokerRefreshToken: "")
        #expect(try await after.end().status == .ok)
        #expect(try await after.end().status == .ok)
        #expect(try await device.fixture.ahead(device) == ["epoch 9"])
        #expect(try await device.fixture.isListedAsAhead(device))
    }

    @Test func `after a restore, a device cannot go back to an earlier epoch`() async throws {
        let shop = try await Shop()
        _ = try await shop.before.session(counter: 9)
        let device = try await shop.restored()
        let refresh = try await device.fixture.brokerTokens().string(ReplyName.refreshToken)
        for counter in [4, 5] {
            #expect(try await device.issue(refresh, counter: counter).suberror == Suberror.staleEpoch)
        }
        _ = try await device.session(counter: 11)
        for counter in [9, 10] {
            let refresh = try await device.fixture.brokerTokens().string(ReplyName.refreshToken)
            #expect(try await device.issue(refresh, counter: counter).suberror == Suberror.staleEpoch)
        }
    }

    @Test func `a countersignature that the server has forgotten is recognised, and the chain goes on`() async throws {
        let shop = try await Shop { [key] in _ = try await $0.anchored(key, 3, "line 3") }
        let newest = try await shop.before.anchored(key, 8, "line 8").line
        let device = try await shop.restored()
        #expect(try await device.anchor(key, 9, "line 9", newest: newest).status == .ok)
        #expect(try await device.fixture.ahead(device) == ["receipt 8"])
        #expect(try await device.fixture.isListedAsAhead(device))
        // The server refuses other receipts up to the number of a head that it knows or has just countersigned.
        for sequence in [2, 8] {
            #expect(try await device.anchor(key, sequence, "other", newest: newest).errorNumber == 5_000_619)
        }
        #expect(try await device.anchor(key, 3, "other", newest: newest).errorNumber == 5_000_619)
    }

    @Test func `a device that is not ahead is not reported`() async throws {
        let shop = try await Shop { [key] device in
            _ = try await device.anchored(key, 3, "line 3")
            _ = try await device.session(counter: 5)
        }
        let session = try await shop.before.session(counter: 6)
        let device = shop.before
        // Without a session, higher counters are normal, because sign-in attempts without the server also raise the
        // counter.
        #expect(try await device.status(counter: 40, sessionID: nil) == .noSession)
        // Malformed ids prove nothing, and neither do unknown sessions of an epoch that the server knows.
        for (counter, id) in [(7, "none"), (7, ""), (6, "0af3c2b1-0000-4000-8000-000000000001")] {
            #expect(try await device.status(counter: counter, sessionID: id) == .ended)
        }
        #expect(try await session.status(counter: 7) == .ended)
        #expect(try await session.end(sessionID: "").status == .ok)
        #expect(try await session.end(counter: 30).status == .ok)
        // None of these countersignatures shows that the device is ahead: the newest one, one that nobody made, and one
        // of another chain.
        let newest = try await device.anchored(key, 4, "line 4").line
        #expect(try await device.anchor(key, 5, "line 5", newest: newest).status == .ok)
        let head = try Anchor(newest)
        func forged(_ signer: P256.Signing.PrivateKey, chain: String) throws -> SignedLine {
            try Anchor(
                tenant: head.tenant, device: head.device, key: chain, sequence: 99, hash: head.hash, at: head.at,
                authority: head.authority
            ).signed(with: .p256(signer))
        }
        #expect(try await device.anchor(key, 6, "line 6", newest: try forged(key, chain: head.key)).status == .ok)
        let other = P256.Signing.PrivateKey()
        let elsewhere = try await device.anchored(other, 50, "line 50").line
        #expect(try await device.anchor(key, 7, "line 7", newest: elsewhere).status == .ok)
        #expect(try await device.fixture.ahead(device).isEmpty)
        #expect(try await !device.fixture.isListedAsAhead(device))
    }

    @Test func `a device that joined after the backup is unknown and can join again`() async throws {
        let fixture = try await TestPlatform()
        try await fixture.administration.users.assign(.cloudDeviceAdministrator, to: fixture.bo)
        let backup = try await fixture.backup()
        let joined = try await TestDevice.joined(fixture)
        let restored = try await fixture.restored(from: backup)
        var device = try TestDevice(restored)
        device.certificate = joined.certificate
        let answer = try await device.ask(counter: 1, sessionID: nil)
        #expect(answer.errorNumber == OAuthError.unknownDeviceNumber)
        let again = try await TestDevice.joined(restored)
        _ = try await again.session(counter: 7)
    }
}

extension TestPlatform {
    /// The device's proofs of being ahead, from the audit log.
    fileprivate func ahead(_ device: TestDevice) async throws -> [String] {
        let id = try device.id
        return try await platform.database.read { connection in
            try AuditLog(connection).latest(1000, tenant: tenant.id)
                .filter { $0.action == AuditAction.deviceAhead.rawValue && $0.actor == id }.compactMap(\.subject)
        }
    }

    /// Whether `baton admin device list` gets the time at which the device was found to be ahead.
    fileprivate func isListedAsAhead(_ device: TestDevice) async throws -> Bool {
        let router = Router(context: AdminContext.self)
        router.add(middleware: FixedCaller(.localOperator(userID: nil)))
        AdminRoutes(platform).addRoutes(to: router)
        let client = TestClient(router.buildResponder())
        let answer = try await client.get(IdentityAdmin.listDevices(["tenant": "-"]).path)
        let devices = try JSONDecoder().decode([IdentityAdmin.Device].self, from: Data(answer.body))
        let id = try device.id
        return devices.contains { $0.deviceID == id && $0.aheadAt != nil }
    }
}
