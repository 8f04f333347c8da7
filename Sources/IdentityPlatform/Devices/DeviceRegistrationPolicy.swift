// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

/// Who may join which device: a pure judge over the organisation's rules and the person's present roles and devices.
struct DeviceRegistrationPolicy {
    /// The roles that may join a device which several workers share.
    static let sharedDeviceRoles = [DirectoryRole.cloudDeviceAdministrator, .globalAdministrator]

    let rules: DeviceRegistrationRules
    /// How many devices of their own a person may have where the organisation has not said.
    let devicesPerPerson: Int

    /// The person who asks.
    struct Candidate {
        let id: UserID
        let roles: [RoleID]
        /// How many devices are their own already.
        let owned: Int
    }

    /// Says why the join is refused; nil where it is allowed.
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
                "The person has as many devices as one may have. Have one of them removed first.")
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
