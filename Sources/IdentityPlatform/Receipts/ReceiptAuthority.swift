// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import FoundationEssentials
internal import OAuth
internal import Receipts
internal import Storage

/// An organisation's keys for receipts: one countersigns the heads of its devices' chains, one makes the pseudonyms of its
/// people, which nobody else can resolve.
struct ReceiptAuthority: Sendable {
    let anchorKey: SigningKey
    let published: JSONWebKey
    private let subjectKey: SymmetricKey
    private let tenant: TenantID

    /// Takes up an authority.
    ///
    /// - Parameters:
    ///   - anchorKey: P-256, DER.
    ///   - subjectKey: 32 bytes.
    /// - Throws: the library's error.
    init(anchorKey: [UInt8], subjectKey: [UInt8], tenant: TenantID) throws {
        self.anchorKey = .p256(try P256.Signing.PrivateKey(derRepresentation: anchorKey))
        published = try JSONWebKey(self.anchorKey.verification)
        self.subjectKey = SymmetricKey(data: subjectKey)
        self.tenant = tenant
    }

    /// Whom a pseudonym means.
    struct Subject: Sendable, Equatable {
        let user: UserID
        let device: DeviceID
        let session: SessionID
    }

    /// A pseudonym for one session, another one for each: what two receipts say of one person looks like two people to
    /// everybody but the organisation. It holds what it means, sealed, so that it can be resolved for as long as the key is
    /// there, whatever else has been cleared away.
    ///
    /// - Throws: the library's error.
    func pseudonym(of subject: Subject, nonce: [UInt8]) throws -> String {
        let content = subject.user.bytes + subject.device.bytes + subject.session.bytes
        let sealed = try AES.GCM.seal(
            content, using: subjectKey, nonce: AES.GCM.Nonce(data: nonce), authenticating: context)
        return Pseudonym.prefix + Base64URL.encode(nonce + sealed.ciphertext + sealed.tag)
    }

    /// Whom the pseudonym means; nil where this organisation did not make it.
    func subject(of pseudonym: String) -> Subject? {
        guard Pseudonym.isOne(pseudonym),
            let bytes = try? Base64URL.decode(pseudonym.dropFirst(Pseudonym.prefix.count)),
            let box = try? AES.GCM.SealedBox(combined: bytes),
            let content = try? Array(AES.GCM.open(box, using: subjectKey, authenticating: context)),
            content.count == 48
        else { return nil }
        return Subject(
            user: UserID(bytes: Array(content[..<16])), device: DeviceID(bytes: Array(content[16..<32])),
            session: SessionID(bytes: Array(content[32...])))
    }

    private var context: [UInt8] { Array("receipt subject \(tenant)".utf8) }
}
