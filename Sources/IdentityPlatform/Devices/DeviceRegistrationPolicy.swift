// SPDX-License-Identifier: Apache-2.0
internal import OAuth

/// Who may join which device: a pure judge over the person's present roles.
enum DeviceRegistrationPolicy {
    /// The roles that may join a device which several workers share.
    static let sharedDeviceRoles = [DirectoryRole.cloudDeviceAdministrator, .globalAdministrator]

    /// Says why the join is refused; nil where it is allowed.
    static func refusal(isShared: Bool, roles: [RoleID]) -> RegistrationError? {
        guard isShared else { return nil }
        guard sharedDeviceRoles.contains(where: { roles.contains($0.id) }) else {
            return RegistrationError(
                .authorizationFailed,
                "Only a Cloud Device Administrator or a Global Administrator may join a shared device. "
                    + "Sign in as one, or have the role assigned.")
        }
        return nil
    }
}
