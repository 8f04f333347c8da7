// SPDX-License-Identifier: Apache-2.0

extension Client {
    /// Gets a token of the device itself (DTK-1).
    func deviceToken(
        _ resource: String, scopes: [String], _ correlation: UUID,
        complete: @escaping @Sendable (Result<MSALDeviceTokenResult, Fault>) -> Void
    ) {
        guard !resource.allSatisfy(\.isWhitespace) else {
            return complete(
                .failure(Fault(.resourceBlank)))
        }
        deviceInformation(correlation) { outcome in
            complete(outcome.flatMap { .failure(Self.refusal(of: $0)) })
        }
    }

    private static func refusal(of device: MSALDeviceInformation) -> Fault {
        guard device.deviceMode == .shared else {
            return Fault(.deviceNotShared)
        }
        return Fault(.deviceTokenUnsupported)
    }
}
