// SPDX-License-Identifier: Apache-2.0
internal import OAuth

/// Who may join which device: a pure judge over the person's present roles and devices.
enum DeviceRegistrationPolicy {
    /// The roles that may join a device which several workers share.
    static let sharedDeviceRoles = [DirectoryRole.cloudDeviceAdministrator, .globalAdministrator]

    /// Says why the join is refused; nil where it is allowed.
    ///
    /// - Parameter quota: how many devices of their own a person may have.
    static func refusal(isShared: Bool, roles: [RoleID], owned: Int, quota: Int) -> RegistrationError? {
        guard isShared else {
            guard owned < quota else {
                return RegistrationError(
                    .authorizationFailed,
                    "The person has as many devices as one may have. Have one of them removed first.")
            }
            return nil
        }
        guard sharedDeviceRoles.contains(where: { roles.contains($0.id) }) else {
            return RegistrationError(
                .authorizationFailed,
                "Only a Cloud Device Administrator or a Global Administrator may join a shared device. "
                    + "Sign in as one, or have the role assigned.")
        }
        return nil
    }
}
