// SPDX-License-Identifier: Apache-2.0

/// The members of an object, sorted by key. For a few dozen members this is faster than a dictionary, and objects are
/// written in this order.
struct SortedMembers<Value> {
    struct Member {
        let key: String
        var value: Value
    }

    /// Each key occurs once.
    private(set) var all: [Member] = []

    init() {}

    init(capacity: Int) { all.reserveCapacity(capacity) }

    private init(all: [Member]) { self.all = all }

    subscript(key: String) -> Value? {
        get {
            let place = place(of: key)
            return place.isTaken ? all[place.index].value : nil
        }
        set {
            let place = place(of: key)
            switch (newValue, place.isTaken) {
            case (let value?, true): all[place.index].value = value
            case (let value?, false): all.insert(Member(key: key, value: value), at: place.index)
            case (nil, true): all.remove(at: place.index)
            case (nil, false): break
            }
        }
    }

    /// Adds a member if its key is new; returns whether the member was added.
    mutating func add(_ value: Value, forKey key: String) -> Bool {
        // Clients and brokers send sorted members, as a rule.
        if let last = all.last, last.key >= key {
            let place = place(of: key)
            guard !place.isTaken else { return false }
            all.insert(Member(key: key, value: value), at: place.index)
        } else {
            all.append(Member(key: key, value: value))
        }
        return true
    }

    func compactMapValues<Other>(_ transform: (Value) -> Other?) -> SortedMembers<Other> {
        SortedMembers<Other>(
            all: all.compactMap { member in
                transform(member.value).map { SortedMembers<Other>.Member(key: member.key, value: $0) }
            })
    }

    /// Returns the position of the key, or the position at which it would be inserted.
    private func place(of key: String) -> (index: Int, isTaken: Bool) {
        var (low, high) = (0, all.count)
        while low < high {
            let middle = (low + high) / 2
            if all[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return (low, low < all.count && all[low].key == key)
    }
}

extension SortedMembers: Sendable where Value: Sendable {}
extension SortedMembers.Member: Sendable where Value: Sendable {}
extension SortedMembers: Equatable where Value: Equatable {}
extension SortedMembers.Member: Equatable where Value: Equatable {}
