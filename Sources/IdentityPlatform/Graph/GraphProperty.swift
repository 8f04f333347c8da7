// SPDX-License-Identifier: Apache-2.0
internal import OAuth

/// The properties of a person in Graph; the first eleven are what `/me` gives unasked.
enum GraphProperty: String, WireName, CaseIterable {
    case businessPhones, displayName, givenName, id, jobTitle, mail, mobilePhone, officeLocation, preferredLanguage
    case surname, userPrincipalName
    case accountEnabled, userType

    static var standard: [GraphProperty] { allCases.dropLast(2) }

    func write(_ user: User, to members: inout MembersWriter) {
        switch self {
        case .businessPhones: members.set(self, [String]())
        case .displayName: members.set(self, user.profile.displayName)
        case .givenName: members.setOrNull(self, user.profile.givenName)
        case .id: members.set(self, user.id.rawValue)
        case .jobTitle: members.setOrNull(self, user.profile.jobTitle)
        case .mail: members.setOrNull(self, user.profile.mail)
        case .mobilePhone: members.setOrNull(self, user.profile.mobilePhone)
        case .officeLocation, .preferredLanguage: members.setOrNull(self, nil)
        case .surname: members.setOrNull(self, user.profile.surname)
        case .userPrincipalName: members.set(self, user.userPrincipalName)
        case .accountEnabled: members.set(self, user.isEnabled)
        case .userType: members.set(self, "Member")
        }
    }
}

/// The other names of Graph's JSON.
enum GraphName: String, WireName {
    case context = "@odata.context"
    case clientRequestID = "client-request-id"
    case code, date, error, innerError, message
    case requestID = "request-id"
}
