// SPDX-License-Identifier: Apache-2.0

/// Member names in device registration's requests and replies (MS-DVRJ and the cloud's dialect).
package enum RegistrationName: String, WireName {
    case addedSIDs = "AddSIDs"
    case attributes = "Attributes"
    case certificate = "Certificate"
    case certificateRequest = "CertificateRequest"
    case code
    case data = "Data"
    case deviceDisplayName = "DeviceDisplayName"
    case deviceKeys = "DeviceKeys"
    case deviceType = "DeviceType"
    case encoding = "Encoding"
    /// The public half of the Windows Hello key that a worker unlocks with a gesture (`BCRYPT_RSAKEY_BLOB`, base64).
    case helloKey = "kngc"
    case joinType = "JoinType"
    case keyID = "kid"
    case lowercaseAttributes = "attributes"
    case lowercaseUserPrincipalName = "upn"
    case message
    case operatingSystemVersion = "OSVersion"
    case rawBody = "RawBody"
    case sharedDevice = "SharedDevice"
    case targetDomain = "TargetDomain"
    case thumbprint = "Thumbprint"
    case transportKey = "TransportKey"
    case type = "Type"
    case usage = "Usage"
    case user = "User"
    case userPrincipalName = "Upn"
    case value = "Value"
}
