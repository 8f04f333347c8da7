// SPDX-License-Identifier: Apache-2.0
package import DeviceKeyStore
internal import DeviceSettings
package import Files
internal import FoundationEssentials
internal import MDMClient
internal import OAuth
internal import SwiftASN1
internal import X509

/// Checks the whole state of the device before anything is served from it.
package struct DeviceCheck: Sendable {
    private let files: DeviceFiles
    private let machine: String

    /// - Parameters:
    ///   - state: the folder of the device's state.
    ///   - machine: the file with the machine's id.
    ///   - platform: the TPM with the device's keys, if one is configured.
    package init(
        state: Directory, machine: String = "/etc/machine-id", platform: (any TrustedPlatform)? = nil
    ) {
        files = DeviceFiles(root: state, platform: platform)
        self.machine = machine
    }

    /// Returns why the state must not be used; nil if it may be used. Blocks on the disk.
    ///
    /// - Throws: ``FileError``, ``KeyFileExposed``: faults that an operator can repair without changing the state.
    package func reasonToQuarantine() throws -> QuarantineReason? {
        do {
            if let reason = QuarantineReason.format(try files.format().number) { return reason }
            if let reason = try MachineBinding(files: files, keys: files.keyStore, machine: machine).reasonToRefuse() {
                return reason
            }
            _ = try files.journal()
            _ = try files.tombstones()
            _ = try files.endedSessions()
            _ = try files.liveSession()
            _ = try files.browserHolder()
            _ = try files.departure()
            _ = try files.locks()
            _ = try files.confirmedJoin()
            _ = try MDMStore(root: files.management).load()
            guard let join = try files.join() else { return nil }
            return try isKeyOf(join) ? nil : .otherDeviceKey
        } catch let damage as DeviceStateDamaged {
            return .damaged(file: damage.file)
        } catch TrustedPlatformFailure.foreign {
            return .otherMachine
        } catch let failure as TrustedPlatformFailure {
            return .platform(failure)
        }
    }

    private func isKeyOf(_ join: JoinRecord) throws -> Bool {
        let keys = try DeviceKeys(in: files.keyStore)
        guard let document = try? PEMDocument(pemString: join.certificate),
            let certificate = try? Certificate(pemDocument: document)
        else { throw DeviceStateDamaged(file: "join.json") }
        return try certificate.publicKey == Certificate.PublicKey(keys.identityPublicKey)
            && certificate.commonName == join.deviceID
    }
}
