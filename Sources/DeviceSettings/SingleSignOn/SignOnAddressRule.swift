// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol

/// Decides for which addresses the worker's browser gets a credential: those addresses of the device's identity
/// platform that the profile lists.
package struct SignOnAddressRule: Sendable {
    /// Why an address gets no credential.
    package enum Refusal: Error, Sendable, Hashable {
        case malformed(SSOAddress.Failure)
        /// The address's host or port is not that of the device's identity platform.
        case otherPlatform
        /// No prefix of the profile matches the address.
        case unlisted
    }

    private let prefixes: [SSOAddress]
    private let platform: SSOAddress?

    /// - Parameter platform: the identity platform that the device is joined to, `https://<host>[:<port>]`.
    package init(_ settings: SSOExtensionSettings, platform: String) {
        // Apple does not allow prefixes with a query. A prefix that cannot be parsed is ignored.
        prefixes = settings.urls.compactMap { url in
            url.contains("#") ? nil : (try? SSOAddress(url)).flatMap { $0.query == nil ? $0 : nil }
        }
        self.platform = try? SSOAddress(platform)
    }

    /// The prefixes of the addresses that can get a credential, `https://<host>[:<port>]<path>`.
    package var addresses: [String] {
        prefixes.filter { $0.origin == platform?.origin }.map { $0.origin + $0.path }
    }

    /// Parses an address and returns it if it may get a credential.
    ///
    /// - Throws: ``Refusal``.
    package func listed(_ text: String) throws(Refusal) -> SSOAddress {
        let address: SSOAddress
        do { address = try SSOAddress(text) } catch { throw .malformed(error) }
        guard let platform, address.origin == platform.origin else { throw .otherPlatform }
        guard prefixes.contains(where: address.begins) else { throw .unlisted }
        return address
    }
}

extension SignOnAddressRule.Refusal {
    /// The error for the caller, without the address, which may contain data of a worker.
    package var brokerError: BrokerError {
        switch self {
        case .malformed(let failure):
            BrokerError(
                .developerParameter,
                "The address \(failure.rawValue). Send the address that the browser opens, unchanged.",
                reason: .addressMalformed)
        case .otherPlatform:
            BrokerError(
                .authorityInvalid,
                "The address does not belong to the device's identity platform. Open it without a credential.",
                reason: .addressOfOther)
        case .unlisted:
            BrokerError(
                .authorityInvalid,
                "No single sign-on profile lists the address. Add a prefix of the address to URLs, or open the address "
                    + "without a credential.",
                reason: .addressUnlisted)
        }
    }
}
