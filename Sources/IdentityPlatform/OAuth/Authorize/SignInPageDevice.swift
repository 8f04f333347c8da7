// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Redaction
internal import Storage

/// Identifies the shared device that shows a sign-in page. The request for the page contains a proof signed with the
/// device's key. A proof is valid only once and only for a short time, so the page's form names the device in a sealed
/// note instead.
struct SignInPageDevice: Sendable {
    let database: any Database
    let environment: ClockAndRandomness
    let storageKey: StorageKey
    let proofs: DeviceProofs
    let tenant: TenantID

    init(_ endpoint: AuthorizeEndpoint, tenant: TenantID) {
        (database, environment, storageKey) = (endpoint.database, endpoint.environment, endpoint.storageKey)
        (proofs, self.tenant) = (endpoint.proofs, tenant)
    }

    private enum Note: String, WireName { case device = "x-baton-device" }

    /// How long a note is valid: longer than a broker waits for the person.
    private static let lifetime = Duration.seconds(900)

    /// Returns the parameters for the form, with the proof replaced by the note. An invalid proof is removed. In that
    /// case, the page is treated as if no known device showed it.
    ///
    /// - Parameter word: the value of the browser's cookie. The note is valid only in that browser.
    /// - Throws: ``StorageError``, or an error of the cryptography library.
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

    /// Returns the device that a form's note names; nil if there is no note, or if the note is from another browser or
    /// too old.
    func named(by parameters: FormParameters, word: String) -> DeviceID? {
        guard let text = parameters[Note.device], let sealed = try? Base64URL.decode(text),
            let bytes = try? storageKey.open(sealed, purpose: purpose(word)), bytes.count == 24
        else { return nil }
        let ends = Timestamp(rawValue: bytes[..<8].reduce(0) { $0 << 8 | Int64($1) })
        return ends > environment.now() ? DeviceID(bytes: Array(bytes[8...])) : nil
    }

    /// Returns the name of the device that a form's note names; nil if ``named(by:word:)`` is nil.
    ///
    /// - Throws: ``StorageError``
    func name(by parameters: FormParameters, word: String) async throws -> String? {
        guard let id = named(by: parameters, word: word) else { return nil }
        return try await database.read { [tenant] in try Devices($0).find(id, tenant: tenant)?.displayName }
    }

    private func proven(_ text: String) async throws -> DeviceID? {
        do {
            let proof = try await proofs.read(SignInPageProof.self, in: text, tenant: tenant, for: .signInPage)
            let id = proof.device
            let device = try await proof.acceptance.read(database) { [tenant] in
                try Devices($0).find(id, tenant: tenant)
            }
            guard let device, device.binding.isShared, device.isEnabled,
                EpochRule.judge(proof.call.epoch, highest: device.epoch, isClosed: device.isEpochClosed) != .stale
            else { return nil }
            return id
        } catch is OAuthError {
            return nil
        }
    }

    private func purpose(_ word: String) -> String { "device that shows a sign-in page of \(tenant) in \(word)" }
}
