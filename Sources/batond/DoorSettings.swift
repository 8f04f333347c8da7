// SPDX-License-Identifier: Apache-2.0
import Authenticator

/// The object `doors` of the configuration file: by which doors a session ends by itself, and what apps get of time.
struct DoorSettings: Decodable {
    let configuration: DoorConfiguration

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: BatondConfiguration.AnyKey.self)
        var wishes = DoorWishes()
        do {
            for name in values.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) {
                guard let key = DoorKey(rawValue: name.stringValue) else {
                    throw DoorRefusal(.unknown, name.stringValue)
                }
                if key == .shiftEnds {
                    try wishes.setShiftEnds(try values.decode([String].self, forKey: name))
                } else {
                    try wishes.set(key, try values.decode(Int.self, forKey: name))
                }
            }
        } catch let refusal as DoorRefusal {
            throw ConfigurationError(file: "", cause: refusal.message, remedy: refusal.remedy)
        }
        configuration = wishes.applied(to: .standard)
    }
}
