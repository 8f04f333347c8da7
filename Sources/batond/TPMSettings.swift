// SPDX-License-Identifier: Apache-2.0

/// The object `tpm` of the configuration file: the TPM with the device's keys.
struct TPMSettings: Decodable {
    /// The TPM, as a configuration string of the TPM2 Software Stack (TCTI).
    let configuration: String

    private enum Key: String, CodingKey, CaseIterable {
        case device, tcti
    }

    init(from decoder: any Decoder) throws {
        let names = try decoder.container(keyedBy: BatondConfiguration.AnyKey.self).allKeys.map(\.stringValue)
        let values = try decoder.container(keyedBy: Key.self)
        let device = try values.decodeIfPresent(String.self, forKey: .device)
        let tcti = try values.decodeIfPresent(String.self, forKey: .tcti)
        switch (device, tcti) {
        case (let device?, nil) where device.hasPrefix("/") && names.count == 1: configuration = "device:" + device
        case (nil, let tcti?) where !tcti.isEmpty && names.count == 1: configuration = tcti
        default:
            throw ConfigurationError(
                file: "", cause: "tpm names neither a device by its absolute path nor a tcti, or more than one of them",
                remedy: "Write it as {\"device\": \"/dev/tpmrm0\"}; leave it out if the keys are files.")
        }
    }
}
