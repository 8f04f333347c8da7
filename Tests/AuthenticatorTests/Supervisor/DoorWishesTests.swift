// SPDX-License-Identifier: Apache-2.0
import Authenticator
import BrokerProtocol
import DeviceManagement
import Processes
import TestSupport
import Testing

/// The doors that an MDM sets in the broker's app configuration.
@Suite(.timeLimit(.minutes(10))) struct DoorWishesTests {
    private func wishes(_ doors: [String: PropertyList]) throws(DoorRefusal) -> DoorWishes {
        try DoorWishes(configuration: ["sharedDeviceMode": true, "doors": .dictionary(doors)])
    }

    private func followed(_ doors: [String: PropertyList], base: DoorConfiguration = .standard) -> (
        doors: DoorConfiguration, refusal: DoorRefusal?
    ) {
        var settings = ManagedSettings(
            enrolled: true, brokerManaged: true, profileShared: true, appConfigurationShared: true, apps: [])
        do throws(DoorRefusal) { settings.doors = try wishes(doors) } catch { settings.doorRefusal = error }
        return base.followed(settings)
    }

    @Test func `what the MDM says holds, and what it leaves open stays the device's own`() {
        let base = DoorConfiguration(
            stay: StayRules(idle: 600, idleWarning: 30, shiftLength: 3600, shiftEnds: [60]), willEndPatience: 1,
            eraserPatience: 2)
        let (doors, refusal) = followed(["idle": 300, "shiftEnds": ["06:00", "14:30"], "erasers": 4000], base: base)
        #expect(refusal == nil)
        #expect(
            doors
                == DoorConfiguration(
                    stay: StayRules(idle: 300, idleWarning: 30, shiftLength: 3600, shiftEnds: [360, 870]),
                    willEndPatience: 1, eraserPatience: 4000))
        #expect(followed([:], base: base).doors == base)
    }

    @Test(
        arguments: [
            (["idel": 300], "doors_unknown", "idel"), (["idle": "300"], "doors_malformed", "idle"),
            (["idle": true], "doors_malformed", "idle"), (["shiftEnds": "14:00"], "doors_malformed", "shiftEnds"),
            (["shiftEnds": [14]], "doors_malformed", "shiftEnds"),
            (["shiftEnds": ["25:00"]], "doors_time", "shiftEnds"),
            (["idle": -1], "doors_range", "idle"), (["willEnd": 10_001], "doors_range", "willEnd"),
            (["idle": 0], "doors_endless", "idle"), (["idle": 29], "doors_hasty", "idle"),
            (["idle": 60], "doors_unwarned", "idleWarning"),
        ] as [([String: PropertyList], String, String)])
    func `what is unknown, impossible or unsafe is refused as a whole, and says which word`(
        doors: [String: PropertyList], code: String, key: String
    ) {
        // The other word would be good.
        let (now, refusal) = followed(doors.merging(["shiftLength": code == "doors_endless" ? 0 : 3600]) { $1 })
        #expect(now == .standard)
        #expect(refusal?.code.rawValue == code && refusal?.key == key)
        #expect(refusal.map { !$0.message.isEmpty && !$0.remedy.isEmpty } == true)
        let findings = CheckResult.doors(now, refusal: refusal)
        #expect(findings.first?.code == code && findings.first?.verdict == .bad)
    }

    @Test func `doors that are no dictionary are refused`() {
        #expect(throws: DoorRefusal(.malformed, "doors")) { try DoorWishes(configuration: ["doors": 1]) }
    }

    @Test func `the device's own doors may be unsafe, and the doctor says so`() {
        let endless = DoorConfiguration(
            stay: StayRules(idle: 0, idleWarning: 60, shiftLength: 0, shiftEnds: []), willEndPatience: 0,
            eraserPatience: 0)
        #expect(CheckResult.doors(endless, refusal: nil).map(\.code) == ["doors_endless"])
        #expect(CheckResult.doors(.standard, refusal: nil).map(\.verdict) == [.good])
    }

    @Test func `other doors hold for the worker who is there, who is warned`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                _ = try await world.signIn(through: try world.agent(of: 1000))
                world.clock.pass(.seconds(600))
                world.device.set(doors: try wishes(["idle": 300]))
                world.inputs.post(.deviceChanged)
                let epoch = try await world.status().epoch
                #expect(try await world.childHears(.idle) == .idle(epoch: epoch, seconds: 60))
                #expect(try await world.status().session == "signedIn")
                world.clock.pass(.seconds(60))
                #expect(try await world.status().session == "signingOut")
                #expect(try world.door() == .idle)
            }
        }
    }

    @Test func `a stay is written down while it lasts, with what the worker did last`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                let files = DeviceFiles(root: Directory(path: scratch.path("device")))
                _ = try await world.signIn(through: try world.agent(of: 1000))
                let first = try #require(try files.stay())
                let epoch = try await world.status().epoch
                world.clock.pass(.seconds(59))
                world.childSays(.activity(epoch: epoch))
                _ = try await world.status()
                #expect(try files.stay() == first)
                world.clock.pass(.seconds(1))
                world.childSays(.activity(epoch: epoch))
                _ = try await world.status()
                #expect(try files.stay() != first)
                world.order(.signOut(fromBrowser: false))
                _ = try await world.status()
                #expect(try files.stay() == nil)
            }
        }
    }
}
