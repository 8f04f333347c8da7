// SPDX-License-Identifier: Apache-2.0

/// A predefined extension identifier with its URLs.
package struct SSOPreset: Sendable {
    package let extensionIdentifier: String
    package let urls: [String]

    package init(extensionIdentifier: String, urls: [String]) {
        self.extensionIdentifier = extensionIdentifier
        self.urls = urls
    }

    /// The identifier and the URLs in Microsoft's documentation of 2020, which names nine URLs.
    package static let microsoft2020 = SSOPreset(
        extensionIdentifier: "com.microsoft.azureauthenticator.ssoextension",
        urls: [
            "https://login.microsoftonline.com",
            "https://login.microsoft.com",
            "https://sts.windows.net",
            "https://login.partner.microsoftonline.cn",
            "https://login.chinacloudapi.cn",
            "https://login.microsoftonline.de",
            "https://login.microsoftonline.us",
            "https://login.usgovcloudapi.net",
            "https://login-us.microsoftonline.com",
        ])
}
