// SPDX-License-Identifier: Apache-2.0

/// Names of members in device registration's requests and replies (MS-DVRJ and the cloud's dialect).
package enum RegistrationName: String, WireName {
    case addedSIDs = "AddSIDs"
    case attributes = "Attributes"
    case certificate = "Certificate"
    case certificateRequest = "CertificateRequest"
    case code
    case data = "Data"
    case deviceDisplayName = "DeviceDisplayName"
    case deviceType = "DeviceType"
    case joinType = "JoinType"
    case lowercaseAttributes = "attributes"
    case message
    case operatingSystemVersion = "OSVersion"
    case rawBody = "RawBody"
    case sharedDevice = "SharedDevice"
    case targetDomain = "TargetDomain"
    case thumbprint = "Thumbprint"
    case transportKey = "TransportKey"
    case type = "Type"
    case user = "User"
    case userPrincipalName = "Upn"
    case value = "Value"
}
