// SPDX-License-Identifier: Apache-2.0
internal import DeviceSettings
internal import FoundationEssentials
internal import Logging
internal import MDMProtocol
internal import Processes

/// Enrolls the device and carries out commands, one after the other. It writes each effect to disk before it reports
/// the effect to the server.
actor MDMSession {
    let store: MDMStore
    let queue: BlockingQueue
    let device: DeviceDescription
    let connect: MDMClientService.Connect
    let marker: ManagedMarker
    let homeScreen: HomeScreenFile
    /// The stage of the worker's session.
    let stage: @Sendable () -> SessionStage
    /// Called with every record that was written.
    let publish: @Sendable (MDMRecord) throws -> Void
    var record: MDMRecord?
    /// Whether a command was answered with NotNow, so that the server waits for this device to check in.
    var owesCheckIn = false
    private var link: (credentials: MDMRecord.EnrollmentCredentials, link: ServerLink)?
    let logger: Logger

    init(
        store: MDMStore, queue: BlockingQueue, device: DeviceDescription,
        connect: @escaping MDMClientService.Connect,
        marker: ManagedMarker, homeScreen: HomeScreenFile, stage: @escaping @Sendable () -> SessionStage,
        publish: @escaping @Sendable (MDMRecord) throws -> Void,
        record: MDMRecord?, logger: Logger
    ) {
        self.store = store
        self.queue = queue
        self.device = device
        self.connect = connect
        self.marker = marker
        self.homeScreen = homeScreen
        self.stage = stage
        self.publish = publish
        self.record = record
        self.logger = logger
    }

    /// Installs an enrollment profile and enrolls with its server. The profile may replace an enrollment with the same
    /// server; everything that this server installed is kept.
    func enroll(_ xml: [UInt8]) async throws {
        let present = record?.enrollment
        guard present?.stage != .leaving else { throw EnrollmentError(.alreadyEnrolled, "the device is leaving") }
        let offer = try await open(xml)
        if let present, present.isManaged {
            let changes = ProfileLinter.changes(from: try await serverLink().enrollment, to: offer.server)
            guard changes.isEmpty else {
                let reasons = changes.map(\.description).joined(separator: " ")
                throw EnrollmentError(.alreadyEnrolled, "the device has a different enrollment: \(reasons)")
            }
        }
        var next = record ?? MDMRecord(udid: UUID().uuidString)
        let credentials = try await keep(offer)
        // The current state is replaced only if a link to the server can be made from this profile.
        _ = try ServerLink(profile: credentials.profile, identity: offer.identity, connect: connect)
        let former = present.flatMap { $0.isManaged ? $0.former ?? $0.credentials : nil }
        next.enrollment = MDMRecord.Enrollment(credentials: credentials, stage: .authenticating, former: former)
        // From here on, no app takes the device for a personal device, even after a crash.
        try await onDisk { [marker] in try marker.raise() }
        try await save(next)
        do { try await introduce() } catch let error as EnrollmentError {
            // If the process is stopping, or if there is a former enrollment and the server has not refused the new
            // enrollment, the next check-in continues from here.
            guard !Task.isCancelled, former == nil || error.code == .turnedAway else { throw error }
            // The same profile can be tried again: the server has bound it either to this device or to none.
            try await fallBack()
            throw error
        }
    }

    /// Sends Authenticate and TokenUpdate. Both may be repeated.
    ///
    /// - Throws: ``EnrollmentError``; `turnedAway` if the server refused the device.
    private func introduce() async throws {
        guard let record else { return }
        let link = try await serverLink()
        let topic = link.enrollment.topic
        let hello = CheckInMessage.Authenticate(
            udid: record.udid, topic: topic, osVersion: device.osVersion, productName: device.productName,
            deviceName: device.name, model: device.productName, modelName: device.productName)
        do { try await link.checkIn(.authenticate(hello)) } catch let error as EnrollmentError {
            guard error.code == .serverRefused || error.code == .unrecognized else { throw error }
            throw EnrollmentError(.turnedAway, error.detail)
        }
        // This device gets no pushes through Apple; the protocol only requires that token and magic exist.
        let token = Array(UUID().uuidString.utf8)
        try await link.checkIn(
            .tokenUpdate(.init(udid: record.udid, topic: topic, token: token, pushMagic: UUID().uuidString)))
        var next = record
        next.enrollment?.stage = .enrolled
        next.enrollment?.former = nil
        // The enrollment starts a new command queue.
        next.lastResult = nil
        try await save(next)
        try await sweep()
    }

    /// Restores the former credentials, or clears the record if there are none, after the server refused the new
    /// credentials.
    private func fallBack() async throws {
        guard var next = record, let enrollment = next.enrollment else { return }
        guard let former = enrollment.former else { return try await removeEverything() }
        next.enrollment = MDMRecord.Enrollment(credentials: former, stage: .enrolled)
        try await save(next)
        try await sweep()
    }

    /// Completes an enrollment that a crash interrupted.
    func resume() async throws {
        guard record?.enrollment?.stage == .authenticating else { return }
        do { try await introduce() } catch let error as EnrollmentError where error.code == .turnedAway {
            try await fallBack()
            guard record?.enrollment != nil else { throw error }
        }
    }

    /// Delivers the last result and carries out commands until the server has no more.
    func checkIn() async throws -> CheckInReport {
        owesCheckIn = false
        try await resume()
        guard record?.enrollment != nil else { throw EnrollmentError(.notEnrolled, "the device is not enrolled") }
        do { return try await exchange() } catch let error as EnrollmentError {
            guard error.code == .unrecognized else { throw error }
            try await removeEverything()
            throw error
        }
    }

    private func exchange() async throws -> CheckInReport {
        var report = CheckInReport()
        var message: [UInt8]
        if let last = record?.lastResult, !last.isDelivered { message = Array(last.body) } else { message = try idle() }
        var answered: String?
        while true {
            // The link is obtained again in each round, because a command may have installed a new identity.
            let link = try await serverLink()
            let answer = try await link.connect(message)
            if record?.enrollment?.stage == .leaving {
                await sendCheckOut()
                try await removeEverything()
                return report
            }
            guard !answer.isEmpty else {
                try await markDelivered()
                return report
            }
            let reply = try await execute(answer, link: link)
            // A server that repeats a command although the device has already answered it would keep the device busy
            // forever.
            guard reply.commandUUID != answered else {
                throw EnrollmentError(
                    .serverRefused, "the server repeated a command that the device had already answered")
            }
            report.count(reply.status)
            (message, answered) = (reply.body, reply.commandUUID)
        }
    }

    private func idle() throws -> [UInt8] {
        try CommandResult(udid: record?.udid ?? "", status: .idle).propertyList.xml()
    }

    /// Records that the server has the last result, so that the next check-in begins with `Idle`.
    private func markDelivered() async throws {
        guard var next = record, next.lastResult?.isDelivered == false else { return }
        next.lastResult?.isDelivered = true
        try await save(next)
    }

    /// Ends the enrollment from the device's side.
    func unenroll() async throws {
        guard record?.enrollment != nil else { throw EnrollmentError(.notEnrolled, "the device is not enrolled") }
        await sendCheckOut()
        try await removeEverything()
    }

    /// Notifies the server that the device leaves. If that fails, the error is only logged.
    private func sendCheckOut() async {
        guard let udid = record?.udid else { return }
        do {
            let link = try await serverLink()
            guard link.enrollment.checkOutWhenRemoved else { return }
            try await link.checkIn(.checkOut(.init(udid: udid, topic: link.enrollment.topic)))
        } catch {
            logger.warning("the server could not be notified that the device leaves", metadata: ["error": "\(error)"])
        }
    }

    /// Removes everything that management installed. The record is cleared first, since it alone determines what is
    /// managed.
    private func removeEverything() async throws {
        guard let next = record?.cleared else { return }
        try await save(next)
        // Releases the connection, and with it the key in memory.
        link = nil
        try await sweep()
        try await settle()
    }

    /// Does the postponed work that is possible at this stage of the session: checks in if commands were postponed, and
    /// removes the managed marker once the device is not enrolled and nobody is signed in.
    func settle() async throws {
        if owesCheckIn, record?.enrollment != nil, stage() != .changing { _ = try await checkIn() }
        guard record?.enrollment == nil, stage() == .free else { return }
        try await onDisk { [marker] in try marker.drop() }
    }

    /// Writes a record to disk and then makes it the current record.
    func save(_ next: MDMRecord) async throws {
        let (store, homeScreen) = (store, homeScreen)
        try await onDisk {
            try store.save(next)
            homeScreen.follow(next)
        }
        record = next
        try publish(next)
    }

    /// Removes keys and packages that the record no longer names.
    func sweep() async throws {
        let (store, record) = (store, record)
        try await onDisk { try store.sweep(keeping: record) }
    }

    private func onDisk<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        do { return try await queue.run(body) } catch { throw EnrollmentError(.storage, "\(error)") }
    }

    /// Checks an enrollment profile and decrypts its identity, on a thread outside the cooperative pool.
    func open(_ xml: [UInt8]) async throws -> EnrollmentOffer { try await queue.run { try EnrollmentOffer(xml: xml) } }

    /// Writes the identity of an offer to disk.
    func keep(_ offer: EnrollmentOffer) async throws -> MDMRecord.EnrollmentCredentials {
        let store = store
        let name = try await onDisk { try store.keep(offer.identity) }
        return MDMRecord.EnrollmentCredentials(profile: offer.profile, identity: name)
    }

    /// Returns the connection to the server. The device's identity and the trust roots are read once for each set of
    /// credentials.
    private func serverLink() async throws -> ServerLink {
        guard let credentials = record?.enrollment?.credentials else {
            throw EnrollmentError(.notEnrolled, "the device is not enrolled")
        }
        if let link, link.credentials == credentials { return link.link }
        let (store, connect) = (store, connect)
        let identity = try await onDisk { try store.identity(credentials.identity) }
        let made = try await queue.run {
            try ServerLink(profile: credentials.profile, identity: identity, connect: connect)
        }
        link = (credentials, made)
        return made
    }
}

extension CheckInReport {
    fileprivate mutating func count(_ status: CommandResult.Status) {
        switch status {
        case .acknowledged: done += 1
        case .error, .commandFormatError: failed += 1
        case .notNow: later += 1
        case .idle: break
        }
    }
}
