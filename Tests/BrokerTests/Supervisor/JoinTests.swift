// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import BrokerSupervisor
import DeviceKeyStore
import DeviceSettings
import Files
import Processes
import SessionIPC
import TestSupport
import Testing
import UnixSocket

/// Joins whose process dies or whose operator disconnects.
@Suite(.timeLimit(.minutes(10))) struct JoinTests {
    private let record = JoinRecord(
        tenantID: "tenant", deviceID: "device", loginURL: "https://login.test", certificate: "", thumbprint: "")

    private func files(_ scratch: Scratch) -> DeviceFiles { DeviceFiles(root: Directory(path: scratch.path("device"))) }

    @Test func `a confirmed join is finished although its process dies, and its operator gets the answer`()
        async throws
    {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch, isJoined: false) { fixture in
                let order = JoinOrder(
                    loginURL: "https://login.test", registrationURL: "https://registration.test", tenant: "t",
                    deviceName: "n")
                async let answer = fixture.ask(.join(order))
                #expect(try await fixture.sessionProcessReceives(.join) == .join(order))
                #expect(try await fixture.status().session == "joining")
                try files(scratch).write(confirmed: record)
                fixture.inputs.post(.sessionProcessEnded(sessionProcess: 1))
                #expect(try await answer == .joined(deviceID: "device", tenantID: "tenant"))
                #expect(try await fixture.status().deviceID == "device")
                #expect(try files(scratch).join() == record)
                #expect(try files(scratch).confirmedJoin() == nil)
            }
        }
    }

    private let order = JoinOrder(
        loginURL: "https://login.test", registrationURL: "https://registration.test", tenant: "t", deviceName: "n")

    @Test func `a join ends with the connection of its operator, and another one can begin`()
        async throws
    {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch, isJoined: false) { fixture in
                #expect(try await fixture.status().session == "ready")
                let path = scratch.path("run/control.sock")
                func operatorJoins() async throws -> FramedJSON<OperatorReply, OperatorRequest> {
                    try await blocking {
                        let channel = try FramedJSON<OperatorReply, OperatorRequest>.connect(
                            to: path, limits: Wire.operatorLimits)
                        try channel.send(.join(order))
                        return channel
                    }
                }
                let first = try await operatorJoins()
                #expect(try await fixture.sessionProcessReceives(.join) == .join(order))
                // A second operator who asks meanwhile is refused, and may disconnect without ending the join.
                let second = try await operatorJoins()
                guard case .failed(let failure) = try await blocking({ try second.receive().message }) else {
                    throw TestProblem("a second join began")
                }
                #expect(failure.code == "join_running" && failure.remedy.contains("baton device join"))
                second.connection.shutDown()
                #expect(try await fixture.status().session == "joining")

                first.connection.shutDown()
                // The process of the attempt, and the process of the next epoch.
                for _ in 0..<2 { _ = try await fixture.sessionProcessReceives(.start) }
                let third = try await operatorJoins()
                #expect(try await fixture.sessionProcessReceives(.join) == .join(order))
                third.connection.shutDown()
            }
        }
    }

    @Test func `a confirmed join is kept even if the operator has disconnected`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch, isJoined: false) { fixture in
                fixture.inputs.post(.operatorAsked(.join(order), connection: 7) { _ in })
                #expect(try await fixture.sessionProcessReceives(.join) == .join(order))
                try files(scratch).write(confirmed: record)
                fixture.inputs.post(.operatorGone(connection: 7))
                #expect(try await fixture.status().deviceID == "device")
                #expect(try files(scratch).confirmedJoin() == nil)
            }
        }
    }

    @Test func `a confirmed join is finished by the next start`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch, isJoined: false) { fixture in
                #expect(try await fixture.status().deviceID == nil)
                try files(scratch).write(confirmed: record)
            }
            try await SupervisorFixture.with(scratch, isJoined: false) { fixture in
                let status = try await fixture.status()
                #expect(status.deviceID == "device")
                #expect(try files(scratch).confirmedJoin() == nil)
            }
        }
    }

    @Test func `a joined device keeps its registration if a confirmation of a former join is left`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { _ in try files(scratch).write(confirmed: record) }
            try await SupervisorFixture.with(scratch) { fixture in
                let status = try await fixture.status()
                #expect(status.deviceID == "d")
                #expect(try files(scratch).confirmedJoin() == nil)
            }
        }
    }

    @Test func `the keys of an unfinished join are used again, but only as a complete set`() async throws {
        try await Scratch.with { scratch in
            let keys = Directory(path: scratch.path("keys"))
            let store = KeyStore(directory: keys, platform: nil)
            _ = try DeviceKeys.leftOrMade(in: store)
            let first = try keys.file("device.pem").read()
            _ = try DeviceKeys.leftOrMade(in: store)
            #expect(try keys.file("device.pem").read() == first)
            try keys.file("transport.pem").remove()
            _ = try DeviceKeys.leftOrMade(in: store)
            #expect(try keys.file("device.pem").read() != first)
        }
    }
}
