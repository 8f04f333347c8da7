// SPDX-License-Identifier: Apache-2.0

extension CommandResult {
    /// Reads a command result or `Idle`.
    ///
    /// - Throws: ``FieldError`` if a member is missing or has the wrong type, or if the status is unknown.
    package init(propertyList: PropertyList) throws(FieldError) {
        let fields = try Fields(propertyList, as: .status)
        udid = try UDIDField.read(fields)
        guard let status = Status(rawValue: try fields.string(.status)) else { throw FieldError(.status, .outOfRange) }
        self.status = status
        commandUUID = try fields.optionalString(.commandUUID)
        guard commandUUID != nil || status == .idle else { throw FieldError(.commandUUID, .missing) }
        userID = try fields.optionalString(.userID)
        errorChain = try ErrorItem.chain(in: fields)
        answer = try Answer(fields: fields)
    }

    /// Whether this is a command result or `Idle`, well-formed or not.
    package static func isMeant(by propertyList: PropertyList) -> Bool {
        guard let fields = try? Fields(propertyList, as: .status) else { return false }
        return fields[.status] != nil && fields[.messageType] == nil
    }

    package var propertyList: PropertyList {
        var members = answer?.members ?? [:]
        members[PropertyKey.udid.rawValue] = .string(udid)
        members[PropertyKey.status.rawValue] = .string(status.rawValue)
        members[PropertyKey.commandUUID.rawValue] = commandUUID.map(PropertyList.string)
        members[PropertyKey.userID.rawValue] = userID.map(PropertyList.string)
        members[PropertyKey.errorChain.rawValue] = ErrorItem.propertyList(of: errorChain)
        return .dictionary(members)
    }
}

extension ErrorItem {
    static func chain(in fields: Fields) throws(FieldError) -> [ErrorItem] {
        var chain: [ErrorItem] = []
        for value in try fields.optionalArray(.errorChain) ?? [] {
            let link = try Fields(value, as: .errorChain)
            let (english, localized) = (
                try link.optionalString(.usEnglishDescription), try link.optionalString(.localizedDescription)
            )
            chain.append(
                ErrorItem(
                    code: try link.integer(.errorCode), domain: try link.string(.errorDomain),
                    message: english ?? localized ?? ""))
        }
        return chain
    }

    static func propertyList(of chain: [ErrorItem]) -> PropertyList? {
        guard !chain.isEmpty else { return nil }
        return .array(
            chain.map { link in
                .record([
                    .errorCode: .integer(link.code), .errorDomain: .string(link.domain),
                    .localizedDescription: .string(link.message), .usEnglishDescription: .string(link.message),
                ])
            })
    }
}

extension CommandResult.Answer {
    /// Determines the answer's kind from its members, because results do not name their request type. Returns nil if
    /// there is no answer.
    init?(fields: Fields) throws(FieldError) {
        if let profiles = try fields.optionalArray(.profileList) {
            var list: [InstalledProfile] = []
            for profile in profiles { list.append(try InstalledProfile(propertyList: profile)) }
            self = .profiles(list)
        } else if let apps = try fields.optionalDictionary(.managedApplicationList) {
            var list: [ManagedAppStatus] = []
            for (identifier, app) in apps.sorted(by: { $0.key < $1.key }) {
                list.append(try ManagedAppStatus(identifier: identifier, propertyList: app))
            }
            self = .managedApps(list)
        } else if let items = try fields.optionalArray(.settings) {
            var list: [SettingResult] = []
            for item in items { list.append(try SettingResult(propertyList: item)) }
            self = .settings(list)
        } else if let values = try fields.optionalDictionary(.queryResponses) {
            self = .information(values)
        } else if fields[.state] != nil || fields[.rejectionReason] != nil {
            self = .installation(
                identifier: try fields.optionalString(.identifier),
                state: try fields.optionalString(.state).map(AppState.init(name:)),
                rejection: try fields.optionalString(.rejectionReason))
        } else {
            return nil
        }
    }

    var members: [String: PropertyList] {
        switch self {
        case .profiles(let list): PropertyList.members([.profileList: .array(list.map(\.propertyList))])
        case .managedApps(let list):
            PropertyList.members([
                .managedApplicationList: .dictionary(
                    Dictionary(list.map { ($0.identifier, $0.propertyList) }) { _, last in last })
            ])
        case .settings(let list): PropertyList.members([.settings: .array(list.map(\.propertyList))])
        case .information(let values): PropertyList.members([.queryResponses: .dictionary(values)])
        case .installation(let identifier, let state, let rejection):
            PropertyList.members([
                .identifier: identifier.map(PropertyList.string), .state: (state?.name).map(PropertyList.string),
                .rejectionReason: rejection.map(PropertyList.string),
            ])
        }
    }
}

extension InstalledProfile {
    fileprivate init(propertyList: PropertyList) throws(FieldError) {
        let fields = try Fields(propertyList, as: .profileList)
        identifier = try fields.string(.payloadIdentifier)
        uuid = try fields.string(.payloadUUID)
        isManaged = try fields.optionalBoolean(.isManaged) ?? false
        payloads = []
        for value in try fields.optionalArray(.payloadContent) ?? [] {
            let payload = try Fields(value, as: .payloadContent)
            payloads.append(
                PayloadName(
                    type: try payload.string(.payloadType), identifier: try payload.string(.payloadIdentifier),
                    uuid: try payload.optionalString(.payloadUUID) ?? ""))
        }
    }

    fileprivate var propertyList: PropertyList {
        .record([
            .payloadIdentifier: .string(identifier), .payloadUUID: .string(uuid),
            .payloadVersion: .integer(Profile.formatVersion), .isManaged: .boolean(isManaged),
            .payloadContent: .array(
                payloads.map { payload in
                    .record([
                        .payloadType: .string(payload.type), .payloadIdentifier: .string(payload.identifier),
                        .payloadUUID: .string(payload.uuid), .payloadVersion: .integer(Profile.formatVersion),
                    ])
                }),
        ])
    }
}

extension ManagedAppStatus {
    fileprivate init(identifier: String, propertyList: PropertyList) throws(FieldError) {
        let fields = try Fields(propertyList, as: .managedApplicationList)
        self.identifier = identifier
        state = AppState(name: try fields.string(.status))
        flags = ManagementFlags(rawValue: try fields.optionalInteger(.managementFlags) ?? 0)
        hasConfiguration = try fields.optionalBoolean(.hasConfiguration) ?? false
    }

    fileprivate var propertyList: PropertyList {
        .record([
            .status: .string(state.name), .managementFlags: .integer(flags.rawValue),
            .hasConfiguration: .boolean(hasConfiguration), .hasFeedback: false,
            .isValidated: .boolean(state == .managed),
        ])
    }
}

extension SettingResult {
    fileprivate init(propertyList: PropertyList) throws(FieldError) {
        let fields = try Fields(propertyList, as: .settings)
        item = try fields.string(.item)
        identifier = try fields.optionalString(.identifier)
        let name = try fields.string(.status)
        guard let status = CommandResult.Status(rawValue: name) else { throw FieldError(.status, .outOfRange) }
        self.status = status
        errorChain = try ErrorItem.chain(in: fields)
    }

    fileprivate var propertyList: PropertyList {
        .record([
            .item: .string(item), .identifier: identifier.map(PropertyList.string), .status: .string(status.rawValue),
            .errorChain: ErrorItem.propertyList(of: errorChain),
        ])
    }
}
