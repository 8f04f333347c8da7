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

    /// Finds out about the device's registration with `tenant`; nil stands for whichever there is (DEV-11).
    func registration(
        _ tenant: String?, _ correlation: UUID, complete: @escaping @Sendable (Result<MSALWPJMetaData, Fault>) -> Void
    ) {
        deviceInformation(correlation) { outcome in complete(outcome.map { MSALWPJMetaData($0, tenant: tenant) }) }
    }

    /// Whether a broker answers, be it with a refusal (BRK-4); waits for it on the caller's thread.
    var isBrokerAvailable: Bool {
        waited { complete in
            ask(.getDeviceInfo, request(UUID()).entries, within: Self.patience) { outcome in
                if case .failure(let failure) = outcome, case .refused = failure { return complete(true) }
                complete((try? outcome.get()) != nil)
            }
        }
    }

    /// Ends the interactive sign-in that the process has under way (INT-10).
    ///
    /// - Returns: whether there was one.
    static func cancelLogin(through broker: BrokerConnection) -> Bool { broker.cancelSignIn() }
}

extension JSONValue {
    /// A text, a number in decimal or a truth value as `1` or `0`; nil for everything else.
    fileprivate var asText: String? {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        case .number(let number): String(number)
        case .bool(let value): value ? "1" : "0"
        case .null, .array, .object: nil
        }
    }
}

extension MSALDeviceInformation {
    /// The texts of an answer that apps may read (DEV-5, DEV-6).
    private static let passedOn: [Key] = [
        .registrationUPN, .registrationDeviceID, .registrationTenantID, .registrationCloud, .registrationThumbprint,
        .brokerVersion, .deviceModeReason,
    ]

    /// The members of a JSON object as texts, numbers and truth values included; nothing of what cannot be read.
    private static func texts(_ text: String?) -> [String: String] {
        let members = text.flatMap { (try? JSONReader.read(Array($0.utf8), limits: Wire.nestedLimits))?.object }
        return (members ?? [:]).compactMapValues(\.asText)
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
