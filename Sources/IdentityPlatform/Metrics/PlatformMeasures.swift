// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
package import OAuth
package import Storage
internal import SwiftASN1
internal import X509

/// Facts about the platform's keys and certificates, for an operator. They name no organisation.
package struct PlatformMeasures: Sendable {
    /// For each algorithm, when the oldest of the organisations' current signing keys began to sign.
    package let oldestSigningKeys: [SignatureAlgorithm: Timestamp]
    /// The earliest time at which the certificate of an organisation's device authority expires; nil if no authority
    /// exists yet.
    package let firstDeviceAuthorityEnd: Timestamp?
    /// The number of break-glass grants in force.
    package let activeBreakGlass: Int
    /// When break-glass access was last granted; nil if no grant is stored.
    package let lastBreakGlass: Timestamp?
}

extension Platform {
    /// Reads the facts from the database.
    ///
    /// - Throws: ``StorageError``, or an error of the certificate library.
    package func measures() async throws -> PlatformMeasures {
        let now = environment.now()
        let (keys, certificates, active, last) = try await database.read { connection in
            let keys = try connection.rows(of: TenantKey.self, "WHERE signs <= \(now)").map { row in
                SigningStart(
                    tenant: try row[.tenant], algorithm: try row[.algorithm],
                    time: max(try row[.created], try row[.signs]))
            }
            return (
                keys, try DeviceAuthorities.certificates(connection),
                try BreakGlassGrants(connection).ends(at: now).count, try BreakGlassGrants(connection).lastBegin()
            )
        }
        // An organisation signs with its newest key of an algorithm.
        let current = Dictionary(grouping: keys) { Signer(tenant: $0.tenant, algorithm: $0.algorithm) }
            .mapValues { $0.map(\.time).max() ?? now }
        var oldest: [SignatureAlgorithm: Timestamp] = [:]
        for (signer, time) in current { oldest[signer.algorithm] = min(oldest[signer.algorithm] ?? time, time) }
        let ends = try certificates.map { der in
            let end = try Certificate(derEncoded: der).notValidAfter
            return Timestamp(seconds: Int64(end.timeIntervalSince1970))
        }
        return PlatformMeasures(
            oldestSigningKeys: oldest, firstDeviceAuthorityEnd: ends.min(), activeBreakGlass: active,
            lastBreakGlass: last)
    }

    private struct SigningStart: Sendable {
        let tenant: TenantID
        let algorithm: SignatureAlgorithm
        let time: Timestamp
    }

    private struct Signer: Hashable {
        let tenant: TenantID
        let algorithm: SignatureAlgorithm
    }
}
