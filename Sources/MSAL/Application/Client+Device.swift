// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import JSON

extension Client {
    /// Finds out about the device.
    ///
    /// Only a device that is *known* to be personal is answered without a broker.
    func deviceInformation(
        _ correlation: UUID, complete: @escaping @Sendable (Result<MSALDeviceInformation, Fault>) -> Void
    ) {
        ask(.getDeviceInfo, request(correlation).entries) { outcome in
            if case .failure(.personalDevice) = outcome {
                complete(.success(MSALDeviceInformation(deviceMode: .default, extra: [:])))
            } else {
                complete(outcome.read { map, device in MSALDeviceInformation(map, device) })
            }
        }
    }
}

extension MSALDeviceInformation {
    /// The texts of an answer that apps may read (DEV-5, DEV-6).
    private static let passedOn: [Key] = [
        .registrationUPN, .registrationDeviceID, .registrationTenantID, .registrationCloud, .registrationThumbprint,
        .brokerVersion, .deviceModeReason,
    ]

    /// The texts of a JSON object; nothing of what cannot be read.
    private static func texts(_ text: String?) -> [String: String] {
        let members = text.flatMap { (try? JSONReader.read(Array($0.utf8), limits: Wire.nestedLimits))?.object }
        return (members ?? [:]).compactMapValues(\.string)
    }

    convenience init(_ map: FlatMap, _ device: DeviceInfo) {
        var extra = ["isSSOExtensionInFullMode": map[.extensionMode] == "silent_only" ? "No" : "Yes"]
        for key in Self.passedOn { extra[key.rawValue] = map[key] }
        extra.merge(Self.texts(map[.extraDeviceInfo])) { ours, _ in ours }
        self.init(
            deviceMode: device.mode == .shared ? .shared : .default, extra: extra,
            configuredPreferredAuthMethod: map[.preferredAuthentication] == "preferredAuthQRPIN" ? .QRPIN : .none,
            hasAADSSOExtension: true)
    }
}
