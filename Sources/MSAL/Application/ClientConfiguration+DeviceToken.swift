// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

extension ClientConfiguration {
    /// Requests a token for the device itself (DTK-1).
    func deviceToken(
        _ resource: String, scopes: [String], _ correlation: UUID,
        complete: @escaping @Sendable (Result<MSALDeviceTokenResult, Fault>) -> Void
    ) {
        guard !resource.allSatisfy(\.isWhitespace) else {
            return complete(
                .failure(Fault(.resourceBlank)))
        }
        let wanted = DeviceTokenRequest(
            client: request(correlation), redirectURI: redirectURI, resource: resource, scopes: scopes)
        deviceInformation(correlation) { [self] outcome in
            switch outcome {
            case .failure(let fault): complete(.failure(fault))
            case .success(let device) where device.deviceMode != .shared: complete(.failure(Fault(.deviceNotShared)))
            case .success:
                ask(.deviceToken, wanted.entries) { outcome in
                    complete(
                        outcome.read(silent: true) { map, _ throws(BrokerError) in
                            try MSALDeviceTokenResult(DeviceTokenResponse(map))
                        })
                }
            }
        }
    }
}

extension MSALDeviceTokenResult {
    /// Makes a result from a token response of the broker.
    ///
    /// - Throws: `BrokerError` if the authority cannot be read.
    convenience init(_ response: DeviceTokenResponse) throws(BrokerError) {
        guard let url = URL(string: response.authority), let address = try? AuthorityURL(url) else {
            throw .unreadable("authority")
        }
        self.init(
            accessToken: response.accessToken, deviceInformation: nil,
            expiresOn: Date(timeIntervalSince1970: Double(response.expiresOn)), scopes: response.scopes,
            authority: MSALAADAuthority(normalized: address.normalized))
    }
}
