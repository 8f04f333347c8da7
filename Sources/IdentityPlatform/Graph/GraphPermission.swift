// SPDX-License-Identifier: Apache-2.0

/// A delegated permission of Graph: what a person lets an application do in their name.
package enum GraphPermission: String, Sendable, CaseIterable {
    case auditLogReadAll = "AuditLog.Read.All"
    case deviceReadAll = "Device.Read.All"
    case deviceReadWriteAll = "Device.ReadWrite.All"
    case groupReadAll = "Group.Read.All"
    case groupReadWriteAll = "Group.ReadWrite.All"
    case policyReadAll = "Policy.Read.All"
    case policyReadWriteDeviceConfiguration = "Policy.ReadWrite.DeviceConfiguration"
    case roleManagementRead = "RoleManagement.Read.Directory"
    case roleManagementReadWrite = "RoleManagement.ReadWrite.Directory"
    case userRead = "User.Read"
    case userReadAll = "User.Read.All"
    case userReadWriteAll = "User.ReadWrite.All"
    case userRevokeSessionsAll = "User.RevokeSessions.All"
}
