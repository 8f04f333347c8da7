// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import SwiftASN1
package import X509

/// The end of a private key's usage period, which a certificate may contain in addition to its own expiry
/// (RFC 3280 section 4.2.1.4).
///
/// In a device's MDM identity, the end of the period is the time at which the server stops accepting the identity. The
/// certificate itself is valid for longer, so a device that connects too late still completes the TLS handshake and
/// gets an answer.
package struct PrivateKeyUsagePeriod: Sendable, Equatable {
    /// Seconds since 1970.
    package let end: Int64

    package init(end: Int64) { self.end = end }

    private static let identifier: ASN1ObjectIdentifier = [2, 5, 29, 16]
    private static let notAfter = ASN1Identifier(tagWithNumber: 1, tagClass: .contextSpecific)

    /// Reads a certificate's period; nil if the certificate has no period, or a period without an end.
    ///
    /// - Throws: if the extension cannot be read.
    package init?(of certificate: Certificate) throws {
        guard let found = certificate.extensions.first(where: { $0.oid == Self.identifier }) else { return nil }
        let end = try DER.sequence(try DER.parse(found.value), identifier: .sequence) { nodes in
            var end: GeneralizedTime?
            while let node = nodes.next() {
                if node.identifier == Self.notAfter {
                    end = try GeneralizedTime(derEncoded: node, withIdentifier: Self.notAfter)
                }
            }
            return end
        }
        guard let end, let date = Self.date(end) else { return nil }
        self.end = Int64(date.timeIntervalSince1970)
    }

    /// The period as a certificate extension, which is not critical.
    package var certificateExtension: Certificate.Extension {
        get throws {
            let end = try Self.time(end)
            var coder = DER.Serializer()
            try coder.appendConstructedNode(identifier: .sequence) { coder in
                try end.serialize(into: &coder, withIdentifier: Self.notAfter)
            }
            return Certificate.Extension(oid: Self.identifier, critical: false, value: coder.serializedBytes[...])
        }
    }

    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    private static func date(_ time: GeneralizedTime) -> Date? {
        calendar.date(
            from: DateComponents(
                year: time.year, month: time.month, day: time.day, hour: time.hours, minute: time.minutes,
                second: time.seconds))
    }

    private static func time(_ seconds: Int64) throws -> GeneralizedTime {
        let parts = calendar.dateComponents(
            [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSince1970: Double(seconds)))
        return try GeneralizedTime(
            year: parts.year ?? 0, month: parts.month ?? 0, day: parts.day ?? 0, hours: parts.hour ?? 0,
            minutes: parts.minute ?? 0, seconds: parts.second ?? 0, fractionalSeconds: 0)
    }
}
