// SPDX-License-Identifier: Apache-2.0
internal import OAuth

/// The member names of all signed lines and of ``ReceiptTrust``.
package enum ReceiptName: String, WireName {
    case accessTokensEndBy = "access_tokens_end_by"
    case afterDamage = "after_damage"
    case anchorKey = "anchor_key"
    case anchors
    case at
    case attempt
    case authority
    case began
    case certificate
    case committed
    case device
    case deviceAuthority = "device_authority"
    case trigger
    case ended
    case finished
    case foldersAsOf = "folders_as_of"
    case grade
    case hash
    case items
    case key
    case left
    case name
    case next
    case nonce
    case observer
    case offline
    case opened
    case previous
    case result
    case sequence
    case subject
    case tenant
    case type
    case unobserved
    case version
}

/// The values of a signed line's `type`.
package enum LineType {
    package static let receipt = "baton.receipt"
    package static let key = "baton.receipt-key"
    package static let head = "baton.receipt-head"
    package static let anchor = "baton.receipt-anchor"
}
