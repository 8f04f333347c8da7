// SPDX-License-Identifier: Apache-2.0
import DeviceHTTPS
import Foundation
import HTTPTypes
import MDMProtocol
import Redaction
import Testing

/// A device whose messages the test sends one by one.
struct HandDevice {
    let fixture: TestMDM
    let udid: String
    let certificate: [UInt8]
    let topic: String
    let privateKey: SecretBytes

    init(_ fixture: TestMDM, udid: String = UUID().uuidString, profile: [UInt8]) throws {
        self.fixture = fixture
        self.udid = udid
        let profile = try Profile(xml: profile)
        var certificate: [UInt8] = []
        var privateKey = SecretBytes(copying: [])
        var topic = ""
        for payload in profile.payloads {
            switch payload.content {
            case .identity(let identity):
                let opened = try PKCS12(
                    container: identity.container.exposed, password: identity.password.exposed)
                certificate = opened.certificates[0]
                privateKey = opened.privateKey
            case .enrollment(let enrollment): topic = enrollment.topic
            default: break
            }
        }
        self.certificate = certificate
        self.topic = topic
        self.privateKey = privateKey
    }

    /// The same device, connected to another server.
    init(_ fixture: TestMDM, like other: HandDevice) {
        (self.fixture, udid, certificate) = (fixture, other.udid, other.certificate)
        (topic, privateKey) = (other.topic, SecretBytes(copying: []))
    }

    static func enrolled(_ fixture: TestMDM, named name: String) async throws -> HandDevice {
        let device = try HandDevice(fixture, profile: try await fixture.enrollmentProfile(named: name))
        #expect(try await device.authenticate() == 200)
        #expect(try await device.tokenUpdate() == 200)
        return device
    }

    /// An enrolled device that has reported its inventory.
    static func settled(_ fixture: TestMDM, named name: String) async throws -> HandDevice {
        let device = try await enrolled(fixture, named: name)
        #expect(try await device.work(upTo: 3).count == 2)
        return device
    }

    func authenticate(as other: String? = nil) async throws -> Int {
        try await checkIn(.authenticate(.init(udid: other ?? udid, topic: topic, productName: "Linux")))
    }

    func tokenUpdate() async throws -> Int {
        try await checkIn(.tokenUpdate(.init(udid: udid, topic: topic, token: [1], pushMagic: "m")))
    }

    func checkIn(_ message: CheckInMessage) async throws -> Int {
        try await fixture.send(try message.propertyList.xml(), certificate: certificate, isCheckIn: true).status
    }

    /// Reports a status and returns the next command; nil if there is none.
    func report(
        _ status: CommandResult.Status, _ uuid: String? = nil, answer: CommandResult.Answer? = nil, user: String? = nil
    ) async throws -> CommandRequest? {
        var result = CommandResult(udid: udid, status: status, commandUUID: uuid, answer: answer)
        result.userID = user
        let body = try result.propertyList.xml()
        let response = try await fixture.send(body, certificate: certificate)
        #expect(response.status == 200)
        guard !response.body.isEmpty else { return nil }
        return try CommandRequest(propertyList: PropertyList(xml: response.body))
    }

    /// Fetches commands until there are none, or `limit` is reached. Reports the commands in `failed` as failed, and
    /// acknowledges all others.
    ///
    /// - Returns: the commands, in order.
    func work(upTo limit: Int, failing failed: Set<Command> = []) async throws -> [Command] {
        var done: [Command] = []
        var next = try await report(.idle)
        while let request = next, done.count < limit {
            done.append(request.command)
            next = try await report(failed.contains(request.command) ? .error : .acknowledged, request.uuid)
        }
        return done
    }
}
