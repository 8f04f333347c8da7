// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

/// Decides who may join which device. The decision depends only on the organisation's rules and on the person's current
/// roles and devices.
struct DeviceRegistrationPolicy {
    /// The roles that may join a shared device.
    static let sharedDeviceRoles = [DirectoryRole.cloudDeviceAdministrator, .globalAdministrator]

    let rules: DeviceRegistrationRules
    /// The maximum number of personal devices per person, if the organisation has not set one.
    let devicesPerPerson: Int

    /// The person who requests the join.
    struct Candidate {
        let id: UserID
        let roles: [RoleID]
        /// How many personal devices the person already has.
        let owned: Int
    }

    /// Returns why the join is refused; nil if it is allowed.
    func refusal(of device: Device, to person: Candidate) -> RegistrationError? {
        if device.profileType == .shared { return sharedRefusal(person) }
        let membership = device.trustType == .joined ? rules.join : rules.register
        switch membership {
        case .all: break
        case .selected(let people) where people.contains(person.id): break
        case .selected, .nobody:
            return RegistrationError(
                .authorizationFailed,
                "The organisation does not let this person join or register devices. Ask an administrator of devices.")
        }
        guard person.owned < rules.quota ?? devicesPerPerson else {
            return RegistrationError(
                .authorizationFailed,
                "The person has reached the limit of devices. Have one of them removed first.")
        }
        return nil
    }

    private func sharedRefusal(_ person: Candidate) -> RegistrationError? {
        guard Self.sharedDeviceRoles.contains(where: { person.roles.contains($0.id) }) else {
            return RegistrationError(
                .authorizationFailed,
                "Only a Cloud Device Administrator or a Global Administrator may join a shared device. "
                    + "Sign in as one, or have the role assigned.")
        }
        return nil
    }
}
