// SPDX-License-Identifier: Apache-2.0

/// The origin of web pages (RFC 6454): a scheme, one host and one port.
package struct WebOrigin: Sendable, Hashable {
    /// `https` or `http`.
    let scheme: String
    let host: String
    let port: UInt16

    /// The origin of the page at this address.
    package init(of address: WebAddress) {
        (scheme, host) = (address.scheme, address.host)
        port = address.port ?? (address.scheme == "https" ? 443 : 80)
    }

    package var text: String { "\(scheme)://\(host):\(port)" }

    /// The origin in the form of Chromium's `URLBlocklist` and `URLAllowlist`, without names below the host.
    var chromium: String { "\(scheme)://\(pattern.chromiumHost):\(port)" }

    /// The pattern of the host alone, over this scheme. It matches every port, because Firefox matches none.
    package var pattern: AddressPattern { AddressPattern(scheme: scheme, host: host) }
}

extension WebOrigin: Codable {
    package init(from decoder: any Decoder) throws {
        self.init(of: try decoder.singleValueContainer().decode(WebAddress.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(text)
    }
}
