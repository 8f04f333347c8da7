// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// The delegated Graph permissions that the platform supports, with Graph's names.
package enum GraphPermission: String, Sendable, CaseIterable {
    case readSelf = "User.Read"
    case readUsers = "User.Read.All"
    case writeUsers = "User.ReadWrite.All"
    case readGroups = "Group.Read.All"
    case writeGroups = "Group.ReadWrite.All"
    case readDevices = "Device.Read.All"
    case writeDevices = "Device.ReadWrite.All"
    case readDirectory = "Directory.Read.All"
    case readPolicies = "Policy.Read.All"
    case writeDevicePolicy = "Policy.ReadWrite.DeviceConfiguration"
    case revokeSessions = "User.RevokeSessions.All"
    case readRoles = "RoleManagement.Read.Directory"
    case writeRoles = "RoleManagement.ReadWrite.Directory"
    case readAudit = "AuditLog.Read.All"
}
