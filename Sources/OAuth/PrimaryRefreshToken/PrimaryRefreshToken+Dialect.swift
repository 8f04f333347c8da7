// SPDX-License-Identifier: Apache-2.0

extension PrimaryRefreshToken {
    /// The two supported families of requests. A form field sent with the request names the family.
    package enum Dialect: Sendable {
        /// `windows_api_version` 2.x, which Windows uses at the older token endpoint.
        case windows
        /// `prt_protocol_version` 3.0.
        case three

        /// Reads the form; returns nil for an unknown version, or if both fields or neither of them are present.
        package init?(_ form: FormParameters) {
            switch (form[ParameterName.windowsAPIVersion], form[ParameterName.protocolVersion]) {
            case (let version?, nil) where version.hasPrefix("2."): self = .windows
            case (nil, PrimaryRefreshToken.protocolVersion?): self = .three
            default: return nil
            }
        }
    }
}
