// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol

/// Decides for which addresses the worker's browser gets a credential: those that the profile lists, of the identity platform
/// that the device is joined to.
package struct SSOExtensionPolicy: Sendable {
    /// Why an address gets nothing.
    package enum Refusal: Error, Sendable, Hashable {
        case malformed(SSOAddress.Failure)
        /// Of another host or port than the device's identity platform.
        case otherPlatform
        /// Not below any prefix of the profile.
        case unlisted
    }

    private let prefixes: [SSOAddress]
    private let platform: SSOAddress?

    /// - Parameter platform: where the device is joined, `https://<host>[:<port>]`.
    package init(_ settings: SSOExtensionSettings, platform: String) {
        // A prefix with a query is no prefix (Apple); one that cannot be read lists nothing.
        prefixes = settings.urls.compactMap { url in
            url.contains("#") ? nil : (try? SSOAddress(url)).flatMap { $0.query == nil ? $0 : nil }
        }
        self.platform = try? SSOAddress(platform)
    }

    /// The prefixes of which an address can get a credential, `https://<host>[:<port>]<path>`.
    package var addresses: [String] {
        prefixes.filter { $0.origin == platform?.origin }.map { $0.origin + $0.path }
    }

    /// The address for which a credential may be made.
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

extension SSOExtensionPolicy.Refusal {
    /// What whoever asked is told; nothing of the address, which may be a worker's.
    package var brokerError: BrokerError {
        switch self {
        case .malformed(let failure):
            BrokerError(
                .developerParameter, "The address \(failure.rawValue). Send the one that the browser opens, as it is.",
                reason: .addressMalformed)
        case .otherPlatform:
            BrokerError(
                .authorityInvalid,
                "The address is not of the identity platform that the device is joined to. Open it without a credential.",
                reason: .addressOfOther)
        case .unlisted:
            BrokerError(
                .authorityInvalid,
                "No single sign-on profile lists the address. Add a prefix of it to URLs, or open it without a credential.",
                reason: .addressUnlisted)
        }
    }
}
