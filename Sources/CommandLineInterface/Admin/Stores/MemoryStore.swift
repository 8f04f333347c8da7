// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// Keeps a sign-in until this process ends.
final class MemoryStore: SignInStore {
    private let kept = Mutex<KeptSignIn?>(nil)

    var place: String { "the memory of this command" }
    var lockFile: String? { nil }

    func check() {}
    func read(for administration: ServerURL) -> KeptSignIn? { kept.withLock { $0 } }
    func write(_ new: KeptSignIn) { kept.withLock { $0 = new } }
    func remove(for administration: ServerURL) { kept.withLock { $0 = nil } }
}
