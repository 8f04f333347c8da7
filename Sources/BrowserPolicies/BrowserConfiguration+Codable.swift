// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials

// Baton's programs pass a configuration on as JSON. Each program validates the configuration again when it decodes it.

extension BrowserConfiguration: Codable {
    private enum Key: String, CodingKey {
        case homePage, newTabPage, allowed, blocked, allowsPrinting, signInAddresses, authorities
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        try self.init(
            homePage: values.decodeIfPresent(WebAddress.self, forKey: .homePage),
            newTabPage: values.decodeIfPresent(WebAddress.self, forKey: .newTabPage),
            allowed: values.decode([AddressPattern].self, forKey: .allowed),
            blocked: values.decode([AddressPattern].self, forKey: .blocked),
            allowsPrinting: values.decode(Bool.self, forKey: .allowsPrinting),
            signInAddresses: values.decodeIfPresent([AddressPattern].self, forKey: .signInAddresses) ?? [],
            authorities: values.decode([AuthorityCertificate].self, forKey: .authorities))
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encodeIfPresent(homePage, forKey: .homePage)
        try values.encodeIfPresent(newTabPage, forKey: .newTabPage)
        try values.encode(allowed, forKey: .allowed)
        try values.encode(blocked, forKey: .blocked)
        try values.encode(allowsPrinting, forKey: .allowsPrinting)
        try values.encode(signInAddresses, forKey: .signInAddresses)
        try values.encode(authorities, forKey: .authorities)
    }
}

extension WebAddress: Codable {
    package init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(text)
    }
}

extension AddressPattern: Codable {
    package init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(text)
    }
}

extension AuthorityCertificate: Codable {
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        try self.init(der: Data(base64Encoded: text).map(Array.init) ?? [])
    }

    package func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(Data(der).base64EncodedString())
    }
}
