// SPDX-License-Identifier: Apache-2.0
internal import Logging
internal import MDMProtocol
internal import Storage

/// Handles check-in messages. Each message is one transaction, which is durable before the response is sent.
struct CheckIn: Sendable {
    let database: any Database
    let sources: MDMSources
    let sealer: SecretSealer
    /// How long an identity is valid after its creation.
    let lifetime: Duration

    func handle(_ body: [UInt8], tenant: TenantID, fingerprint: CertificateFingerprint) async throws {
        let message = try Self.message(body)
        let now = sources.now()
        try await database.write { connection in
            if try Self.isRepeatedFarewell(message, tenant: tenant, fingerprint: fingerprint, in: connection) { return }
            let enrollments = Enrollments(connection: connection, tenant: tenant)
            let enrollment = try enrollments.living(fingerprint: fingerprint, now: now)
            if enrollment.udid != nil || !message.isAuthenticate {
                guard enrollment.udid == message.device else { throw DeviceRefusal.otherDevice }
            }
            try enrollments.confirm(enrollment)
            try Self.apply(
                message, enrollment: enrollment, tenant: tenant, now: now, lifetime: lifetime, sealer: sealer,
                in: connection)
        }
        Logger.current.info(
            "device checked in", metadata: ["device.udid": "\(message.udid ?? "")", "message": "\(Self.name(message))"])
    }

    private static func message(_ body: [UInt8]) throws -> CheckInMessage {
        let message = try DeviceRefusal.reading(body) { propertyList in
            guard CommandResult.isMeant(by: propertyList) else { return try CheckInMessage(propertyList: propertyList) }
            throw DeviceRefusal.malformed(
                "The body is a command's result, but its content type is that of check-in messages. Send it as "
                    + "\(Answer.propertyListType)."
            )
        }
        switch message {
        case .ofUser, .unknown("UserAuthenticate"): throw DeviceRefusal.userChannel
        case .unknown(let type): throw DeviceRefusal.malformed("The message type \(type.prefix(64)) is not served.")
        case .authenticate, .tokenUpdate, .checkOut: return message
        }
    }

    /// Whether the message is a repeated CheckOut: the device has already left, but did not receive the response.
    private static func isRepeatedFarewell(
        _ message: CheckInMessage, tenant: TenantID, fingerprint: CertificateFingerprint, in connection: any Connection
    ) throws -> Bool {
        guard case .checkOut(let message) = message,
            let enrollment = try Enrollments(connection: connection, tenant: tenant).find(fingerprint: fingerprint),
            enrollment.state == .ended
        else { return false }
        guard enrollment.udid == message.device else { throw DeviceRefusal.otherDevice }
        return true
    }

    private static func apply(
        _ message: CheckInMessage, enrollment: Enrollment, tenant: TenantID, now: Timestamp, lifetime: Duration,
        sealer: SecretSealer, in connection: any Connection
    ) throws {
        let devices = DeviceRecords(connection: connection, tenant: tenant)
        let enrollments = Enrollments(connection: connection, tenant: tenant)
        switch message {
        case .authenticate(let message):
            try checkTopic(message.topic, tenant: tenant, in: connection)
            let isEnrolled = try devices.find(message.device)?.state == .enrolled
            guard enrollment.state == .issued else {
                if isEnrolled { return try devices.restart(message, now: now) }
                return try devices.begin(message, enrollment: enrollment, now: now)
            }
            // A UDID is not secret. The holder of an unused profile must not be able to displace a device that is
            // enrolled or about to enroll.
            guard try enrollment.takesOver == message.device || enrollments.bound(udid: message.device, now: now) == nil
            else {
                throw DeviceRefusal.taken
            }
            // The identity's certificate contains the same end date.
            try enrollments.bind(enrollment.id, to: message.device, until: enrollment.createdAt + lifetime)
            try enrollments.end(udid: message.device, except: enrollment.id)
            try devices.begin(message, enrollment: enrollment, now: now)
        case .tokenUpdate(let message):
            try checkTopic(message.topic, tenant: tenant, in: connection)
            try devices.update(message, now: now, sealer: sealer)
        case .checkOut(let message):
            try devices.leave(message.device, now: now)
            try enrollments.end(udid: message.device)
        case .ofUser, .unknown: throw DeviceRefusal.userChannel
        }
    }

    private static func checkTopic(_ topic: String, tenant: TenantID, in connection: any Connection) throws {
        let known: String? = try connection.value(.topic, of: Organization.self, "WHERE id = \(tenant)")
        guard topic == known else { throw DeviceRefusal.malformed("The topic does not belong to this server.") }
    }

    private static func name(_ message: CheckInMessage) -> String {
        switch message {
        case .authenticate: "Authenticate"
        case .tokenUpdate: "TokenUpdate"
        case .checkOut: "CheckOut"
        case .ofUser, .unknown: "unknown"
        }
    }
}

extension CheckInMessage {
    fileprivate var isAuthenticate: Bool { if case .authenticate = self { true } else { false } }
}
