// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import Logging
internal import OAuth
internal import Receipts
internal import Storage

/// `POST /{tenant}/oauth2/v2.0/device/receiptanchor` (specific to Baton): countersigns the head of a device's receipt
/// chain.
///
/// A chain has one receipt for each sequence number. The server refuses a head if it has already countersigned a
/// different receipt with the same number, and refuses a new head whose number is lower than the highest countersigned
/// one. It writes each refusal to the audit log. Repeating a request returns the same response.
struct ReceiptAnchorEndpoint: Sendable {
    let database: any Database
    let environment: ClockAndRandomness
    let directory: DirectoryCache
    let proofs: DeviceProofs
    let authorities: ReceiptAuthorities

    func addRoutes(to router: Router<IdentityContext>) {
        router.post("/{tenant}/oauth2/v2.0/device/receiptanchor", use: respond)
    }

    @Sendable private func respond(_ request: Request, _ context: IdentityContext) async throws -> Response {
        let form = try await request.form(limit: context.maxUploadSize)
        let tenant = try await directory.oneTenant(in: context)
        // A disabled device may still report its receipts, because the report gives the device no access.
        let asked = try await proofs.read(
            AnchorRequest.self, in: try form.required(.request), tenant: tenant.id, for: .receiptAnchor)
        // A head that cannot be read is refused in the same way as a head about another device.
        guard let head = try? ChainHead(asked.call.head), head.device.lowercased() == asked.device.rawValue,
            head.tenant.lowercased() == tenant.id.rawValue, head.nonce == asked.call.binding.nonce
        else { throw OAuthError.malformedSignedRequest }
        let line = try await anchor(
            head, after: asked.call.newest, of: asked.device, tenant: tenant.id, asked.acceptance)
        var body = MembersWriter()
        body.set(ReplyName.anchor, String(decoding: line, as: UTF8.self))
        return Response(json: body)
    }

    /// Countersigns a head, or returns its existing countersignature.
    ///
    /// - Parameter newest: the newest countersignature that the device has.
    /// - Throws: ``OAuthError/receiptsForked``, ``StorageError``, or an error of the cryptography library.
    private func anchor(
        _ head: ChainHead, after newest: SignedLine?, of device: DeviceID, tenant: TenantID, _ acceptance: Acceptance
    ) async throws -> [UInt8] {
        let authority = try await authorities.authority(of: tenant)
        let time = environment.now()
        let chain = head.key.thumbprint
        let line = try Anchor(
            tenant: tenant.rawValue, device: device.rawValue, key: chain, sequence: head.sequence, hash: head.hash,
            at: Int(time.seconds), authority: authority.published.thumbprint
        ).signed(with: authority.anchorKey)
        let known = newest.flatMap { authority.countersigned($0, chain: chain, tenant: tenant) }
        let stated = Anchors.Head(sequence: Int64(head.sequence), hash: head.hash, line: line.bytes)
        // A refusal is returned, not thrown, so that its audit entry is committed.
        let kept = try await database.write { connection in
            try acceptance.record(in: connection)
            let sequence = try Anchors(connection).newest(chain: chain, tenant: tenant)?.sequence
            if let known, known > sequence ?? 0 {
                try AheadDevices(connection).record(
                    device, tenant: tenant, proof: "receipt \(known)", at: time)
            }
            return try settle(stated, chain: chain, of: device, tenant: tenant, at: time, connection)
        }
        guard let kept else { throw OAuthError.receiptsForked }
        return kept
    }
}

/// Stores the countersigned head and returns its line, or the line of an earlier request for the same head; nil if the
/// chain is forked.
private func settle(
    _ stated: Anchors.Head, chain: String, of device: DeviceID, tenant: TenantID, at time: Timestamp,
    _ connection: any Connection
) throws -> [UInt8]? {
    let anchors = Anchors(connection)
    let same = try anchors.find(stated.sequence, chain: chain, tenant: tenant)
    let newest = try anchors.newest(chain: chain, tenant: tenant)?.sequence
    switch AnchorRule.judge(sequence: stated.sequence, hash: stated.hash, same: same?.hash, newest: newest) {
    case .known: return same?.line
    case .countersign:
        try anchors.add(stated, chain: chain, device: device, tenant: tenant, at: time)
        return stated.line
    case .forked:
        try AuditLog(connection).appendOrCount(
            AuditLine(
                .receiptsForked, tenant: tenant, actor: device.rawValue, subject: "\(chain) \(stated.sequence)",
                outcome: "refused", at: time))
        return nil
    }
}

extension OAuthError {
    static let receiptsForked = OAuthError(
        .invalidRequest, number: 5_000_619,
        description: "Another receipt with this number, or a later one, was countersigned before. See the audit log.")
}
