// SPDX-License-Identifier: Apache-2.0
import DeviceKeyStore
import Files
import Foundation

/// The keys of one device, made once for all tests: making RSA keys takes longer than the tests.
enum MadeDeviceKeys {
    private static let folder = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString)").path

    private static let files = Result {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let directory = Directory(path: folder)
        _ = try DeviceKeys.make(in: KeyStore(directory: directory, platform: nil))
        return try directory.names().map { ($0, try directory.file($0).read() ?? []) }
    }

    /// Writes the keys into an empty store.
    static func put(in store: KeyStore) throws {
        try store.directory.make(mode: 0o700)
        for (name, bytes) in try files.get() { try store.directory.file(name).replace(with: bytes, mode: 0o600) }
    }
}
