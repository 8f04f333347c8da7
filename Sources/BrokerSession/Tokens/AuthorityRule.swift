// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
package import DeviceSettings
internal import MDMProtocol
internal import SessionIPC

/// Decides which authorities an app may use on this device: those of the device's own organisation, under the identity
/// platform's host name or one of Microsoft's host names.
package struct AuthorityRule {
    let join: JoinRecord

    package init(join: JoinRecord) { self.join = join }

    /// Returns the name to use for the tenant at the identity platform.
    ///
    /// A domain is passed on to the server, which alone knows the domain's organisation.
    ///
    /// - Throws: ``BrokerError`` -51600 for another identity platform, another organisation, or personal accounts.
    package func tenant(of authority: String) throws(BrokerError) -> String {
        guard let (origin, tenant) = Self.parts(of: authority) else {
            throw Self.refusal("does not have the form https://<host>/<tenant>")
        }
        guard origin == join.loginURL.lowercased() || Self.standIns.contains(origin) else {
            throw Self.refusal("does not belong to the device's identity platform")
        }
        switch tenant {
        case "common", "organizations", join.tenantID.lowercased(): return join.tenantID
        case "consumers": throw Self.refusal("is for personal accounts, which a shared device does not support")
        default:
            guard tenant.contains(".") else { throw Self.otherOrganisation }
            return tenant
        }
    }

    /// The refusal of an authority that belongs to another organisation.
    static let otherOrganisation = refusal("does not belong to the device's organisation")

    private static let standIns = Set(SSOPreset.microsoft2020.urls)

    /// Whether a byte of a tenant's name is a small letter, a digit, a dot or a hyphen.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func parts(of authority: String) -> (origin: String, tenant: String)? {
        let authority = authority.lowercased()
        let slash = UInt8(ascii: "/")
        guard authority.hasPrefix("https://") else { return nil }
        let rest = authority.utf8.dropFirst(8)
        guard let end = rest.firstIndex(of: slash), end > rest.startIndex else { return nil }
        let tenant = rest[end...].dropFirst().prefix { $0 != slash }
        guard !tenant.isEmpty, tenant.allSatisfy(isPlain) else { return nil }
        return (String(authority[..<end]), String(Substring(tenant)))
    }

    private static func refusal(_ reason: String) -> BrokerError {
        BrokerError(.authorityInvalid, "The authority \(reason). Use the organisation's authority, or /common.")
    }
}
