// SPDX-License-Identifier: Apache-2.0
internal import DeviceManagement
internal import FoundationEssentials
internal import Redaction
internal import SwiftASN1

/// Enrols and obeys, one order after the other. Whatever it reports to the server is on the disk before.
actor EnrolmentWorker {
    let store: ManagementStore
    let queue: BlockingQueue
    let device: DeviceDescription
    let connect: EnrolmentAgent.Connect
    let marker: ManagedMarker
    /// How far the worker's session is.
    let stage: @Sendable () -> SessionStage
    /// Hears of every record that was written.
    let publish: @Sendable (ManagementRecord) throws -> Void
    var record: ManagementRecord?
    /// The server was told NotNow, and waits for this device to come by itself.
    var owesVisit = false
    private var link: (profile: Data, link: ServerLink)?

    init(
        store: ManagementStore, queue: BlockingQueue, device: DeviceDescription,
        connect: @escaping EnrolmentAgent.Connect,
        marker: ManagedMarker, stage: @escaping @Sendable () -> SessionStage,
        publish: @escaping @Sendable (ManagementRecord) throws -> Void,
        record: ManagementRecord?
    ) {
        self.store = store
        self.queue = queue
        self.device = device
        self.connect = connect
        self.marker = marker
        self.stage = stage
        self.publish = publish
        self.record = record
    }

    /// Installs an enrolment profile and makes the device known to its server.
    func enroll(_ xml: [UInt8]) async throws {
        guard record?.enrolment?.stage != .enrolled, record?.enrolment?.stage != .leaving else {
            throw EnrolmentError(.alreadyEnrolled, "the device is enrolled already")
        }
        let findings = ProfileLinter(delivery: .enrolment).findings(inXML: xml).filter { $0.severity == .error }
        guard findings.isEmpty else {
            throw EnrolmentError(.profileRefused, findings.map(\.description).joined(separator: "; "))
        }
        var next = record ?? ManagementRecord(udid: UUID().uuidString)
        next.enrolment = ManagementRecord.Enrolment(profile: Data(xml), stage: .authenticating)
        _ = try serverLink(for: Data(xml))
        // From here no app takes the device for a personal one, whatever dies.
        try await onDisk { [marker] in try marker.raise() }
        try await save(next)
        do { try await introduce() } catch let error as EnrolmentError {
            // The same profile can be tried again: the server has bound it to this device, or to none.
            try await save(next.cleared)
            try await settle()
            throw error
        }
    }

    /// Authenticate and TokenUpdate; both may be repeated.
    private func introduce() async throws {
        guard let record, let enrolment = record.enrolment else { return }
        let link = try serverLink(for: enrolment.profile)
        let topic = link.enrolment.topic
        try await link.checkIn(
            .authenticate(
                .init(
                    udid: record.udid, topic: topic, osVersion: device.osVersion, productName: device.productName,
                    deviceName: device.name)))
        // Nothing pushes to this device through Apple; token and magic only have to be there.
        let token = Array(UUID().uuidString.utf8)
        try await link.checkIn(
            .tokenUpdate(.init(udid: record.udid, topic: topic, token: token, pushMagic: UUID().uuidString)))
        var next = record
        next.enrolment?.stage = .enrolled
        try await save(next)
    }

    /// Finishes what a crash interrupted.
    func resume() async throws {
        if record?.enrolment?.stage == .authenticating { try await introduce() }
    }

    /// Delivers the last result and obeys until the server has nothing more.
    func visit() async throws {
        owesVisit = false
        try await resume()
        guard let enrolment = record?.enrolment else {
            throw EnrolmentError(.notEnrolled, "the device is not enrolled")
        }
        do { try await exchange(serverLink(for: enrolment.profile)) } catch let error as EnrolmentError {
            guard error.code == .unrecognized else { throw error }
            try await removeEverything()
            throw error
        }
    }

    private func exchange(_ link: ServerLink) async throws {
        var message: [UInt8]
        if let last = record?.lastResult, !last.isDelivered { message = Array(last.body) } else { message = try idle() }
        var answered: String?
        while true {
            let answer = try await link.connect(message)
            if record?.enrolment?.stage == .leaving { return try await leave(link) }
            guard !answer.isEmpty else { return try await markDelivered() }
            let reply = try await obey(answer, link: link)
            // A server that repeats a command over the answer that it was just given would keep the device busy for ever.
            guard reply.commandUUID != answered else {
                throw EnrolmentError(.serverRefused, "the server repeats a command that was answered")
            }
            (message, answered) = (reply.body, reply.commandUUID)
        }
    }

    private func idle() throws -> [UInt8] {
        try CommandResult(udid: record?.udid ?? "", status: .idle).propertyList.xml()
    }

    /// Remembers that the server has the last result, so that the next visit begins with `Idle`.
    private func markDelivered() async throws {
        guard var next = record, next.lastResult?.isDelivered == false else { return }
        next.lastResult?.isDelivered = true
        try await save(next)
    }

    /// Ends the enrolment from this side.
    func unenroll() async throws {
        guard let enrolment = record?.enrolment else {
            throw EnrolmentError(.notEnrolled, "the device is not enrolled")
        }
        try await leave(serverLink(for: enrolment.profile))
    }

    /// The goodbye is best effort; the removal is not.
    private func leave(_ link: ServerLink) async throws {
        if link.enrolment.checkOutWhenRemoved, let udid = record?.udid {
            do { try await link.checkIn(.checkOut(.init(udid: udid, topic: link.enrolment.topic))) } catch {
                // The server learns it when it next looks for the device.
            }
        }
        try await removeEverything()
    }

    /// Removes everything that management installed; the record goes first, since it alone says what is managed.
    private func removeEverything() async throws {
        guard let next = record?.cleared else { return }
        try await save(next)
        let store = store
        try await onDisk { try store.sweep(keeping: next) }
        try await settle()
    }

    /// Does what had to wait for the end of a sign-in or sign-out: commands that were put off, and the marker of a
    /// managed device, which goes once nothing of the enrolment is left, nor of a worker who came with it.
    func settle() async throws {
        if owesVisit, stage() != .changing { try await visit() }
        guard record?.enrolment == nil, stage() == .free else { return }
        try await onDisk { [marker] in try marker.drop() }
    }

    /// Makes a record durable and then the one that holds.
    func save(_ next: ManagementRecord) async throws {
        let store = store
        try await onDisk { try store.save(next) }
        record = next
        try publish(next)
    }

    private func onDisk(_ body: @escaping @Sendable () throws -> Void) async throws {
        do { try await queue.run(body) } catch { throw EnrolmentError(.storage, "\(error)") }
    }

    /// The link of an enrolment profile: its identity and its root are read once.
    private func serverLink(for profile: Data) throws -> ServerLink {
        if let link, link.profile == profile { return link.link }
        let made = try ServerLink(profile: profile, connect: connect)
        link = (profile, made)
        return made
    }
}

extension ServerLink {
    /// - Throws: ``EnrolmentError`` where the profile holds no identity that opens.
    fileprivate init(profile bytes: Data, connect: EnrolmentAgent.Connect) throws {
        let profile: Profile
        do { profile = try Profile(xml: Array(bytes)) } catch { throw EnrolmentError(.profileRefused, "\(error)") }
        var server: EnrolmentPayload?
        var roots = ""
        for payload in profile.payloads {
            switch payload.content {
            case .enrolment(let enrolment): server = enrolment
            case .rootCertificate(let root):
                roots += PEMDocument(type: "CERTIFICATE", derBytes: root.certificate).pemString + "\n"
            case .identity, .extensibleSSO, .unknown: break
            }
        }
        guard let server else { throw EnrolmentError(.profileRefused, "the profile names no server") }
        let identity = profile.payloads.lazy.compactMap { payload -> IdentityPayload? in
            guard case .identity(let identity) = payload.content, payload.uuid == server.identityUUID else {
                return nil
            }
            return identity
        }.first
        guard let identity else { throw EnrolmentError(.profileRefused, "the profile holds no identity") }
        do {
            let opened = try PKCS12(container: identity.container.exposed, password: identity.password.exposed)
            let client = HTTPSClient.Identity(certificates: opened.certificates, privateKey: opened.privateKey)
            self.init(client: try connect(client, Array(roots.utf8)), enrolment: server)
        } catch { throw EnrolmentError(.identityRefused, "\(error)") }
    }
}
