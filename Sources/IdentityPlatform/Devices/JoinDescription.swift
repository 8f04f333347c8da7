// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import OAuth

/// The name and operating system that a device gives when it joins. Both are shown to other people.
struct JoinDescription: Sendable {
    let displayName: String
    let operatingSystem: String
    let operatingSystemVersion: String

    /// Accepts texts of at most 256 bytes without characters that control a terminal, change the reading direction or are
    /// invisible.
    ///
    /// - Throws: ``RegistrationError`` `badRequest`.
    init(_ request: JoinRequest) throws(RegistrationError) {
        let texts = [request.displayName, request.deviceType, request.operatingSystemVersion]
        guard texts.allSatisfy({ $0.utf8.count <= 256 && ShownText.isPlain($0) }),
            texts[0].isEmpty || ShownText.isVisible(texts[0])
        else {
            throw RegistrationError(
                .badRequest,
                "Name, type and version of a device have at most 256 bytes, and no control or invisible characters.")
        }
        (displayName, operatingSystem, operatingSystemVersion) = (texts[0], texts[1], texts[2])
    }
}
