// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The names are Microsoft's.

/// Key of ``MSALDeviceInformation/extraDeviceInformation``: the name of the user who registered the device, if a user
/// did.
public let MSAL_PRIMARY_REGISTRATION_UPN: String = Key.registrationUPN.rawValue
/// Key of ``MSALDeviceInformation/extraDeviceInformation``: the device's id in the directory.
public let MSAL_PRIMARY_REGISTRATION_DEVICE_ID: String = Key.registrationDeviceID.rawValue
/// Key of ``MSALDeviceInformation/extraDeviceInformation``: the id of the organisation's tenant.
public let MSAL_PRIMARY_REGISTRATION_TENANT_ID: String = Key.registrationTenantID.rawValue
/// Key of ``MSALDeviceInformation/extraDeviceInformation``: the host of the identity platform.
public let MSAL_PRIMARY_REGISTRATION_CLOUD: String = Key.registrationCloud.rawValue
/// Key of ``MSALDeviceInformation/extraDeviceInformation``: the SHA-1 of the device's certificate, hexadecimal.
public let MSAL_PRIMARY_REGISTRATION_CERTIFICATE_THUMBPRINT: String = Key.registrationThumbprint.rawValue
