// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
internal import FoundationEssentials
package import X509

extension CheckResult {
    /// Reports how long a certificate of the device remains valid.
    ///
    /// - Parameters:
    ///   - name: the certificate's name in codes: `device` or `mdm`.
    ///   - end: the time from which the other side no longer accepts the certificate, in seconds since 1970; nil if the
    ///     certificate is accepted until it expires.
    ///   - now: seconds since 1970.
    package static func certificate(
        of name: String, titled title: String, _ certificate: Certificate?, end: Int64? = nil, now: Int, remedy: String
    ) -> CheckResult {
        guard let certificate else {
            return CheckResult(
                .certificates, .bad, code: "\(name)_certificate_unreadable", message: "\(title) cannot be read.",
                remedy: remedy)
        }
        let begin = certificate.notValidBefore.timeIntervalSince1970
        let end = min(certificate.notValidAfter.timeIntervalSince1970, end.map(Double.init) ?? .infinity)
        let days = Int((end - Double(now)) / 86_400)
        if Double(now) >= end {
            return CheckResult(
                .certificates, .bad, code: "\(name)_certificate_expired", message: "\(title) has expired.",
                remedy: remedy)
        }
        if Double(now) < begin {
            return CheckResult(
                .certificates, .bad, code: "\(name)_certificate_not_yet",
                message: "\(title) is not valid yet: check the clock.",
                remedy: "Set the clock.")
        }
        return days < 30
            ? CheckResult(
                .certificates, .warning, code: "\(name)_certificate_ends", message: "\(title) expires in \(days) days.",
                remedy: remedy)
            : CheckResult(
                .certificates, .good, code: "\(name)_certificate", message: "\(title) is valid for \(days) days.")
    }
}
