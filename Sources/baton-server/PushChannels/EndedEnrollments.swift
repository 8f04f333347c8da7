// SPDX-License-Identifier: Apache-2.0
internal import MDMServer
internal import Storage
internal import Synchronization

/// The enrollments that have ended and must be checked.
final class EndedEnrollments: Sendable {
    enum Wanted: Equatable {
        case all
        case only(Set<DeviceReference>)

        /// Whether devices of this tenant may have to be checked.
        func concerns(_ tenant: TenantID) -> Bool {
            switch self {
            case .all: true
            case .only(let devices): devices.contains { $0.tenant == tenant }
            }
        }

        func contains(_ device: DeviceReference) -> Bool {
            switch self {
            case .all: true
            case .only(let devices): devices.contains(device)
            }
        }
    }

    /// The maximum number of single enrollments to remember. If more enrollments end at once, all enrollments are
    /// checked.
    static let capacity = 1_000

    private let wanted = Mutex(Wanted.only([]))
    /// Yields when there is something to check. Several wakes are coalesced into one.
    let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    init() { (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func add(_ device: DeviceReference) {
        wanted.withLock { wanted in
            guard case .only(let devices) = wanted else { return }
            wanted = devices.count < Self.capacity ? .only(devices.union([device])) : .all
        }
        wake.yield()
    }

    func addAll() {
        wanted.withLock { $0 = .all }
        wake.yield()
    }

    /// Returns what must be checked and forgets it.
    func take() -> Wanted {
        wanted.withLock { wanted in
            defer { wanted = .only([]) }
            return wanted
        }
    }
}
