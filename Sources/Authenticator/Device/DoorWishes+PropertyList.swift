// SPDX-License-Identifier: Apache-2.0
package import DeviceManagement

extension DoorWishes {
    /// What the broker's app configuration says of doors; nothing where it has no such word.
    ///
    /// - Throws: ``DoorRefusal`` for a word that nobody knows, or a value that cannot be.
    package init(configuration: [String: PropertyList]) throws(DoorRefusal) {
        self.init()
        guard let doors = configuration[PropertyKey.doors.rawValue] else { return }
        guard case .dictionary(let members) = doors else { throw DoorRefusal(.malformed, PropertyKey.doors.rawValue) }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let key = DoorKey(rawValue: name) else { throw DoorRefusal(.unknown, name) }
            switch (key, value) {
            case (.shiftEnds, .array(let items)): try setShiftEnds(try Self.texts(items))
            case (_, .integer(let number)):
                guard let number = Int(exactly: number) else { throw DoorRefusal(.range, name) }
                try set(key, number)
            default: throw DoorRefusal(.malformed, name)
            }
        }
    }

    private static func texts(_ items: [PropertyList]) throws(DoorRefusal) -> [String] {
        var texts: [String] = []
        for item in items {
            guard case .string(let text) = item else { throw DoorRefusal(.malformed, DoorKey.shiftEnds.rawValue) }
            texts.append(text)
        }
        return texts
    }
}
