// SPDX-License-Identifier: Apache-2.0
internal import CryptoExtras
internal import FoundationEssentials
internal import SwiftASN1
internal import X509

/// Looks at the whole of the device's state before anything is served from it.
package struct DeviceCheck: Sendable {
    private let files: DeviceFiles
    private let machine: String

    /// - Parameters:
    ///   - state: the folder of the device's state.
    ///   - machine: the file with the machine's number.
    package init(state: Directory, machine: String = "/etc/machine-id") {
        files = DeviceFiles(root: state)
        self.machine = machine
    }

    /// Why the state may not be believed; nil where it may. Blocks on the disk.
    ///
    /// - Throws: ``FileError``, ``KeyFileExposed``: what an operator mends without touching the state.
    package func reasonToQuarantine() throws -> QuarantineReason? {
        do {
            let format = try files.format().number
            guard format <= DeviceFiles.currentFormat else { return .newerFormat(format) }
            if let reason = try MachineBinding(files: files, machine: machine).reasonToRefuse() { return reason }
            _ = try files.journal()
            _ = try files.principals()
            _ = try files.endedSessions()
            _ = try files.liveSession()
            _ = try files.browserHolder()
            _ = try ManagementStore(root: files.management).load()
            guard let join = try files.join() else { return nil }
            return try isKeyOf(join) ? nil : .otherDeviceKey
        } catch let damage as DeviceStateDamaged {
            return .damaged(file: damage.file)
        }
    }

    private func isKeyOf(_ join: JoinRecord) throws -> Bool {
        let keys = try DeviceKeys(in: files.keys)
        guard let document = try? PEMDocument(pemString: join.certificate),
            let certificate = try? Certificate(pemDocument: document)
        else { throw DeviceStateDamaged(file: "join.json") }
        return certificate.publicKey == Certificate.PublicKey(keys.identity.publicKey)
            && certificate.commonName == join.deviceID
    }
}
