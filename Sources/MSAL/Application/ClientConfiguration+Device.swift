// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import JSON

extension ClientConfiguration {
    /// Asks for information about the device.
    ///
    /// Without a broker, the call succeeds only if the device is *known* to be personal.
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

    /// Asks for the device's registration with `tenant`; nil accepts any tenant (DEV-11).
    func registration(
        _ tenant: String?, _ correlation: UUID, complete: @escaping @Sendable (Result<MSALWPJMetaData, Fault>) -> Void
    ) {
        deviceInformation(correlation) { outcome in complete(outcome.map { MSALWPJMetaData($0, tenant: tenant) }) }
    }

    /// Whether a broker answers, even with a refusal (BRK-4). Blocks the caller's thread for at most five seconds.
    var isBrokerAvailable: Bool {
        waited { complete in
            ask(.getDeviceInfo, request(UUID()).entries, within: Self.patience) { outcome in
                if case .failure(let failure) = outcome, case .refused = failure { return complete(true) }
                complete((try? outcome.get()) != nil)
            }
        }
    }

    /// Cancels the interactive sign-in that this process has in progress (INT-10).
    ///
    /// - Returns: whether a sign-in was in progress.
    static func cancelLogin(through broker: BrokerConnection) -> Bool { broker.cancelSignIn() }
}

extension JSONValue {
    /// A string as it is, a number in decimal, a boolean as `1` or `0`; nil for any other value.
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
    /// The strings of the broker's answer that are passed on to apps (DEV-5, DEV-6).
    private static let passedOn: [Key] = [
        .registrationUPN, .registrationDeviceID, .registrationTenantID, .registrationCloud, .registrationThumbprint,
        .brokerVersion, .deviceModeReason,
    ]

    /// Returns the strings, numbers and booleans of a JSON object as strings. Members of other types are left out.
    /// Returns an empty dictionary if the text is not a JSON object.
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
