// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import FoundationEssentials
internal import OAuth
internal import Receipts
internal import Storage

/// An organisation's receipt keys. One key countersigns the heads of its devices' receipt chains. The other key creates
/// pseudonyms of people, which only the organisation can resolve.
struct ReceiptAuthority: Sendable {
    let anchorKey: SigningKey
    let published: JSONWebKey
    private let subjectKey: SymmetricKey
    private let tenant: TenantID

    /// Creates an authority from its keys.
    ///
    /// - Parameters:
    ///   - anchorKey: a P-256 private key in DER.
    ///   - subjectKey: 32 bytes.
    /// - Throws: an error of the cryptography library.
    init(anchorKey: [UInt8], subjectKey: [UInt8], tenant: TenantID) throws {
        self.anchorKey = .p256(try P256.Signing.PrivateKey(derRepresentation: anchorKey))
        published = try JSONWebKey(self.anchorKey.verification)
        self.subjectKey = SymmetricKey(data: subjectKey)
        self.tenant = tenant
    }

    /// The person, device and session that a pseudonym stands for.
    struct Subject: Sendable, Equatable {
        let user: UserID
        let device: DeviceID
        let session: SessionID
    }

    /// Returns a new pseudonym for one session. Only the organisation can tell that two pseudonyms belong to one
    /// person. The pseudonym contains its subject in sealed form, so it can be resolved as long as the key exists, even
    /// if all other data has been deleted.
    ///
    /// - Throws: an error of the cryptography library.
    func pseudonym(of subject: Subject, nonce: [UInt8]) throws -> String {
        let content = subject.user.bytes + subject.device.bytes + subject.session.bytes
        let sealed = try AES.GCM.seal(
            content, using: subjectKey, nonce: AES.GCM.Nonce(data: nonce), authenticating: context)
        return Pseudonym.prefix + Base64URL.encode(nonce + sealed.ciphertext + sealed.tag)
    }

    /// Returns the subject of a pseudonym; nil if this organisation did not create it.
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

    /// Returns the sequence number in a countersigned line; nil if the line belongs to another chain, or if this
    /// organisation did not sign it.
    ///
    /// The line comes from a device. If it cannot be read, it proves nothing, and the decision depends only on what the
    /// server has stored.
    func countersigned(_ line: SignedLine, chain: String, tenant: TenantID) -> Int64? {
        guard let anchor = try? Anchor(line), anchor.key == chain, anchor.tenant == tenant.rawValue,
            line.isSigned(by: anchorKey.verification)
        else { return nil }
        return Int64(anchor.sequence)
    }

    private var context: [UInt8] { Array("receipt subject \(tenant)".utf8) }
}
