// SPDX-License-Identifier: Apache-2.0

extension PrimaryRefreshToken {
    /// The two families of requests that are served, told apart by a field beside the request.
    package enum Dialect: Sendable {
        /// `windows_api_version` 2.x: Windows' own, at the older token endpoint.
        case windows
        /// `prt_protocol_version` 3.0.
        case three

        /// Reads the form; nil for a version that nobody here knows, for both fields, and for neither.
        package init?(_ form: FormParameters) {
            switch (form[ParameterName.windowsAPIVersion], form[ParameterName.protocolVersion]) {
            case (let version?, nil) where version.hasPrefix("2."): self = .windows
            case (nil, PrimaryRefreshToken.protocolVersion?): self = .three
            default: return nil
            }
        }
    }
}
