// SPDX-License-Identifier: Apache-2.0
import DeviceSettings

/// The object `sessionPolicy` of the configuration file: when a session ends automatically, and how much time apps have
/// at its end.
struct SessionPolicySettings: Decodable {
    let configuration: SessionPolicy

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: BatondConfiguration.AnyKey.self)
        var wishes = SessionPolicyOverride()
        do {
            for name in values.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) {
                guard let key = SessionPolicyKey(rawValue: name.stringValue) else {
                    throw SessionPolicyError(.unknown, name.stringValue)
                }
                if key == .shiftEnds {
                    try wishes.setShiftEnds(try values.decode([String].self, forKey: name))
                } else {
                    try wishes.set(key, try values.decode(Int.self, forKey: name))
                }
            }
        } catch let refusal as SessionPolicyError {
            throw ConfigurationError(file: "", cause: refusal.message, remedy: refusal.remedy)
        }
        configuration = wishes.applied(to: .standard)
    }
}
