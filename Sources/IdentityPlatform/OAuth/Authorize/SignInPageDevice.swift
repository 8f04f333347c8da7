// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Redaction
internal import Storage

/// The shared device that shows a sign-in page. Its key authenticates it in the request for the page. The page's form
/// then contains a sealed note, since a proof is valid only once and the person may take their time.
struct SignInPageDevice: Sendable {
    let database: any Database
    let environment: ClockAndRandomness
    let storageKey: StorageKey
    let proofs: DeviceProofs
    let tenant: TenantID

    init(_ platform: Platform, tenant: TenantID) {
        (database, environment, storageKey) = (platform.database, platform.environment, platform.storageKey)
        (proofs, self.tenant) = (platform.deviceProofs, tenant)
    }

    private enum Note: String, WireName { case device = "x-baton-device" }

    /// Longer than a broker waits for the person.
    private static let lifetime = Duration.seconds(900)

    /// Returns the parameters for the form, with the proof replaced by the note. An invalid proof is ignored, and the
    /// page counts as a stranger's.
    ///
    /// - Parameter word: the value of the browser's cookie. The note is valid only in that browser.
    /// - Throws: ``StorageError``, the library's error.
    func noted(_ parameters: FormParameters, word: String) async throws -> FormParameters {
        guard let text = parameters[ParameterName.deviceProof] else { return parameters }
        var noted = parameters
        noted.remove(ParameterName.deviceProof)
        guard let device = try await proven(text) else { return noted }
        let ends = environment.now() + Self.lifetime
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: ends.rawValue >> (56 - $0 * 8)) } + device.bytes
        noted.replace(Note.device, Base64URL.encode(try storageKey.seal(bytes, purpose: purpose(word))))
        return noted
    }

    /// Returns the device of a form's note; nil if there is none, or if it is from another browser or too old.
    func named(by parameters: FormParameters, word: String) -> DeviceID? {
        guard let text = parameters[Note.device], let sealed = try? Base64URL.decode(text),
            let bytes = try? storageKey.open(sealed, purpose: purpose(word)), bytes.count == 24
        else { return nil }
        let ends = Timestamp(rawValue: bytes[..<8].reduce(0) { $0 << 8 | Int64($1) })
        return ends > environment.now() ? DeviceID(bytes: Array(bytes[8...])) : nil
    }

    private func proven(_ text: String) async throws -> DeviceID? {
        do {
            let (proof, id) = try await proofs.read(
                SignInPageProof.self, in: text, tenant: tenant, for: .signInPage)
            let device = try await database.read { [tenant] in try Devices($0).find(id, tenant: tenant) }
            guard let device, device.binding.isShared, device.isEnabled,
                EpochRule.judge(proof.epoch, highest: device.epoch, isClosed: device.isEpochClosed) != .stale
            else { return nil }
            return id
        } catch is OAuthError {
            return nil
        }
    }

    private func purpose(_ word: String) -> String { "device that shows a sign-in page of \(tenant) in \(word)" }
}
