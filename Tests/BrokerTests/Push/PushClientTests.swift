// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import DeviceSettings
import OAuth
import PushProtocol
import Testing

/// How the device reacts to the server's answers, and to their absence.
@Suite struct PushClientTests {
    @Test(arguments: [
        (SessionStatus.ended, SignOutTrigger.serverRevocation), (.staleEpoch, .serverRevocation),
        (.deviceDisabled, .deviceDisabled), (.deviceUnknown, .deviceRemoved),
    ])
    func `a definite answer about a session ends it with its trigger`(status: SessionStatus, trigger: SignOutTrigger)
        async throws
    {
        try await PushFixture.with { fixture in
            fixture.platform.says(.status(status.rawValue))
            try fixture.signIn()
        } _: { fixture in
            #expect(await fixture.nextEnd() == trigger)
        }
    }

    @Test func `the status in the channel's first message is applied`() async throws {
        try await PushFixture.with { fixture in
            fixture.server.says(.present(.init(status: "device_disabled", hasCommands: false, keepAlive: 30)))
            try fixture.signIn()
        } _: { fixture in
            #expect(await fixture.nextEnd() == .deviceDisabled)
        }
    }

    @Test func `a channel that ends is opened again, and a channel with a malformed message is closed`() async throws {
        try await PushFixture.with {
            try $0.join()
        } _: { fixture in
            await fixture.server.isOpened(1)
            fixture.server.ends()
            await fixture.server.isOpened(2)
            fixture.server.says("nonsense\n")
            await fixture.server.isOpened(3)
            fixture.server.says(.present(.init(status: nil, hasCommands: true, keepAlive: 30)))
            #expect(await fixture.nextCheckIn())
        }
    }

    @Test func `an unknown status ends no session, and the query is repeated until the status is known`() async throws {
        try await PushFixture.with { fixture in
            for trouble in [
                ScriptedPlatform.Answer.unreachable, .httpStatus(500), .status("gone fishing"), .text("{}"),
                .refusal(50011), .status("live"),
            ] { fixture.platform.says(trouble) }
            try fixture.signIn()
        } _: { fixture in
            await fixture.platform.hasAnswered(6)
            #expect(fixture.endings == [])
            // The next query is caused by a notification.
            fixture.platform.says(.status("ended"))
            fixture.server.says(.nudge)
            #expect(await fixture.nextEnd() == .serverRevocation)
        }
    }

    @Test(arguments: [false, true])
    func `the interval between regular queries is about a quarter of an hour, at random`(isPatient: Bool) async throws {
        try await PushFixture.with(isPatient: isPatient) { fixture in
            fixture.platform.says(.status("live"))
            try fixture.signIn()
        } _: { fixture in
            // Shorter waits are those for the push channel's messages.
            #expect(await fixture.nextSleep(over: .seconds(120)) == .seconds(isPatient ? 1125 : 675))
        }
    }

    @Test func `a device that the directory no longer lists learns this from a refusal`() async throws {
        try await PushFixture.with { fixture in
            fixture.platform.says(.refusal(OAuthError.unknownDeviceNumber))
            try fixture.signIn()
        } _: { fixture in
            #expect(await fixture.nextEnd() == .deviceRemoved)
        }
    }

    @Test func `without a session only the registration is queried, and no session ends`() async throws {
        try await PushFixture.with { fixture in
            fixture.platform.says(.status("no_session"))
            fixture.platform.says(.status("stale_epoch"))
            fixture.server.says(.present(.init(status: "stale_epoch", hasCommands: true, keepAlive: 30)))
            try fixture.join()
        } _: { fixture in
            #expect(await fixture.nextCheckIn())
            #expect(await fixture.nextRegistration() == .good)
            fixture.server.says(.nudge)
            #expect(await fixture.nextCheckIn())
            #expect(await fixture.nextRegistration() == .good)
            #expect(fixture.endings == [])
        }
    }

    @Test func `the directory's report on the device is passed on, but an unknown status is not`() async throws {
        try await PushFixture.with { fixture in
            fixture.platform.says(.unreachable)
            fixture.platform.says(.status("device_disabled"))
            try fixture.join()
        } _: { fixture in
            #expect(await fixture.nextRegistration() == .disabled)
            for (answer, state) in [
                (ScriptedPlatform.Answer.refusal(OAuthError.unknownDeviceNumber), RegistrationStatus.State.removed),
                (.refusal(OAuthError.unknownTenantNumber), .tenantUnknown), (.status("no_session"), .good),
            ] {
                fixture.platform.says(answer)
                fixture.ask()
                #expect(await fixture.nextRegistration() == state)
            }
        }
    }

    @Test func `a device that the MDM's own organisation does not list is joined to another one`() async throws {
        try await PushFixture.with { fixture in
            fixture.server.says(.present(.init(status: "device_unknown", hasCommands: true, keepAlive: 30)))
            for _ in 0..<2 { fixture.platform.says(.status("no_session")) }
            try fixture.join()
        } _: { fixture in
            while let state = await fixture.nextRegistration(), state != .otherTenant { #expect(state == .good) }
        }
    }
}
