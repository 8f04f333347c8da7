// SPDX-License-Identifier: Apache-2.0
import Authenticator
import DeviceLine
import OAuth
import Testing

/// What the device makes of the server's word, and of the lack of one.
@Suite struct LineKeeperTests {
    @Test(arguments: [
        (SessionStanding.ended, Door.serverRevocation), (.staleEpoch, .serverRevocation),
        (.deviceDisabled, .deviceDisabled), (.deviceUnknown, .deviceRemoved),
    ])
    func `a definite word about a session ends it by its door`(standing: SessionStanding, door: Door) async throws {
        try await LineWorld.with { world in
            world.platform.says(.standing(standing.rawValue))
            try world.signIn()
        } _: { world in
            #expect(await world.nextEnd() == door)
        }
    }

    @Test func `the first word on the line counts, and is about what the device stated`() async throws {
        try await LineWorld.with { world in
            world.line.says(.present(.init(standing: "device_disabled", hasCommands: false, keepAlive: 30)))
            try world.signIn()
        } _: { world in
            #expect(await world.nextEnd() == .deviceDisabled)
        }
    }

    @Test func `a line that ends is opened anew, and one that says nonsense is ended`() async throws {
        try await LineWorld.with {
            try $0.join()
        } _: { world in
            await world.line.isOpened(1)
            world.line.ends()
            await world.line.isOpened(2)
            world.line.says("nonsense\n")
            await world.line.isOpened(3)
            world.line.says(.present(.init(standing: nil, hasCommands: true, keepAlive: 30)))
            #expect(await world.nextVisit())
        }
    }

    @Test func `what could not be found out ends nothing, and is asked until it is`() async throws {
        try await LineWorld.with { world in
            for trouble in [
                ScriptedPlatform.Answer.unreachable, .status(500), .standing("gone fishing"), .text("{}"),
                .refusal(50011), .standing("live"),
            ] { world.platform.says(trouble) }
            try world.signIn()
        } _: { world in
            await world.platform.hasAnswered(6)
            #expect(world.endings == [])
            // The next question is asked because somebody nudges.
            world.platform.says(.standing("ended"))
            world.line.says(.nudge)
            #expect(await world.nextEnd() == .serverRevocation)
        }
    }

    @Test func `a device that the directory does not know any more hears it as a refusal`() async throws {
        try await LineWorld.with { world in
            world.platform.says(.refusal(OAuthError.unknownDeviceNumber))
            try world.signIn()
        } _: { world in
            #expect(await world.nextEnd() == .deviceRemoved)
        }
    }

    @Test func `nobody's session needs no question`() async throws {
        try await LineWorld.with { world in
            world.line.says(.present(.init(standing: "stale_epoch", hasCommands: true, keepAlive: 30)))
            world.line.says(.nudge)
            try world.join()
        } _: { world in
            #expect(await world.nextVisit())
            #expect(await world.nextVisit())
            #expect(world.platform.questions == 0 && world.endings == [])
        }
    }
}
