// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
internal import DeviceHTTPS
internal import DeviceKeyStore
internal import Glibc
internal import MDMProtocol
internal import Processes
internal import SwiftASN1
internal import X509

extension MDMClientService {
    /// The findings about management for `baton doctor`: the device's identity at its server, and the home screen's
    /// configuration.
    package var findings: [CheckResult] {
        get async {
            let published = try? await blocking { [homeScreen] in homeScreen.finding }
            return await identityFindings + [published ?? nil].compactMap(\.self)
        }
    }

    /// The finding about how long the device's identity at its server remains valid; empty if the device is not
    /// enrolled.
    private var identityFindings: [CheckResult] {
        get async {
            let access: ServerAccess?
            do { access = try await self.access() } catch {
                return [
                    CheckResult(
                        .certificates, .bad, code: "mdm_identity_unreadable",
                        message: "The device's identity for its management server cannot be read.",
                        remedy: "Unenroll the device, and enroll it with a new profile.")
                ]
            }
            guard let access else { return [] }
            let leaf = access.identity.certificates.first.flatMap { try? Certificate(derEncoded: $0) }
            let end = leaf.flatMap { try? PrivateKeyUsagePeriod(of: $0) }?.end
            guard leaf == nil || end != nil else {
                return [
                    CheckResult(
                        .certificates, .note, code: "mdm_certificate_end_unknown",
                        message:
                            "The device's identity for its management server does not contain the date until which the "
                            + "server accepts it.",
                        remedy:
                            "See the date on the server: baton admin device managed. The next identity will contain it."
                    )
                ]
            }
            return [
                .certificate(
                    of: "mdm", titled: "The device's identity for its management server", leaf, end: end,
                    now: Int(Glibc.time(nil)),
                    remedy:
                        "Connect the device to its server, which renews it; otherwise enroll it with a new profile."
                )
            ]
        }
    }
}
