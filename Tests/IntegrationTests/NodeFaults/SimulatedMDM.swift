// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import DeviceHTTPS
import Foundation
import MDMProtocol
import PushProtocol
import Redaction
import Synchronization
import TestSupport
import Testing

/// A simulated device's enrollment with the MDM, and what the device has carried out.
final class SimulatedMDM: Sendable {
    let udid = UUID().uuidString
    let identity: HTTPSClient.Identity
    let log = Mutex(CommandLog())
    private let client: HTTPSClient
    private let server: EnrollmentPayload

    /// Enrolls the device with a new enrollment profile.
    init(named name: String, at cluster: FaultCluster) async throws {
        let wanted = String(decoding: try JSONEncoder().encode(MDMAdmin.NewEnrollment(name: name)), as: UTF8.self)
        let answer = await cluster.administer("POST", "/mdm/tenants/-/enrollments", wanted, at: 0)
        guard let body = answer.value else { throw TestProblem("no enrollment profile: \(answer)") }
        let made = try JSONDecoder().decode(MDMAdmin.EnrollmentProfile.self, from: Data(body.utf8))
        let profile = try Profile(xml: Array(try #require(Data(base64Encoded: made.profile.exposed))))
        var identity: HTTPSClient.Identity?
        var server: EnrollmentPayload?
        for payload in profile.payloads {
            switch payload.content {
            case .identity(let payload):
                let opened = try PKCS12(container: payload.container.exposed, password: payload.password.exposed)
                identity = HTTPSClient.Identity(certificates: opened.certificates, privateKey: opened.privateKey)
            case .enrollment(let payload): server = payload
            default: break
            }
        }
        (self.identity, self.server) = (try #require(identity), try #require(server))
        client = try cluster.client(identity: identity)
        let hello = CheckInMessage.Authenticate(udid: udid, topic: self.server.topic, productName: "Linux")
        try await checkIn(.authenticate(hello))
        try await checkIn(
            .tokenUpdate(.init(udid: udid, topic: self.server.topic, token: [1], pushMagic: "magic")))
    }

    private func checkIn(_ message: CheckInMessage) async throws {
        _ = try await put(message.propertyList, as: CheckInMessage.mediaType, to: server.effectiveCheckInURL)
    }

    private func put(_ message: PropertyList, as type: String, to url: String) async throws -> [UInt8] {
        let response = try await client.send(
            .init(method: "PUT", url: url, headers: [("Content-Type", type)], body: try message.xml()))
        try RequestRefusal.check(response, is: 200, "the MDM")
        return response.body
    }

    /// Delivers the last result, and carries out commands until the server has no more, as the broker does.
    ///
    /// - Parameters:
    ///   - lost: the number of an answer that does not reach the device; nil if all do. The device stops there, as if it
    ///     had lost its power.
    ///   - broke: is told of a command that the server should not have sent.
    func work(losing lost: Int?, _ broke: (Violation) -> Void) async throws {
        var pending = log.withLock { $0.last.flatMap { $0.isDelivered ? nil : $0.uuid } }
        var answers = 0
        while true {
            let result = CommandResult(
                udid: udid, status: pending == nil ? .idle : .acknowledged, commandUUID: pending)
            let body = try await put(
                result.propertyList, as: "application/x-apple-aspen-mdm; charset=UTF-8", to: server.serverURL)
            guard answers != lost else { return }
            answers += 1
            if pending != nil { log.withLock { $0.delivered() } }
            guard !body.isEmpty else { return }
            let request = try CommandRequest(propertyList: PropertyList(xml: body))
            if let violation = log.withLock({ $0.take(request.uuid) }) { return broke(violation) }
            pending = request.uuid
        }
    }

    /// Keeps a push channel open until it ends.
    func listen(
        over client: HTTPSClient, question: String, into sink: @escaping @Sendable (PushMessage) -> Void
    ) async throws {
        let reader = Mutex(PushMessageReader())
        let status = try await client.listen(
            .init(
                method: "POST", url: server.serverURL + PushChannel.suffix,
                headers: [("Content-Type", "application/json")], body: PushHello(question: question).bytes)
        ) { piece in
            for message in try reader.withLock({ try $0.take(piece) }) { sink(message) }
        }
        if status != 200 { throw RequestRefusal(text: "the push channel: status \(status)") }
    }
}
