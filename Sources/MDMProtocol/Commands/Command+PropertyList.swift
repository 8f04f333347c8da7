// SPDX-License-Identifier: Apache-2.0

extension Command {
    /// Reads the inner `Command` dictionary.
    ///
    /// - Throws: ``FieldError`` if a request type that Baton supports is malformed.
    init(propertyList: PropertyList) throws(FieldError) {
        let fields = try Fields(propertyList, as: .command)
        let name = try fields.string(.requestType)
        switch RequestType(rawValue: name) {
        case .installProfile: self = .installProfile(try fields.data(.payload))
        case .removeProfile: self = .removeProfile(identifier: try fields.string(.identifier))
        case .profileList: self = .profileList(managedOnly: try fields.optionalBoolean(.managedOnly) ?? false)
        case .settings:
            var settings: [Setting] = []
            for item in try fields.array(.settings) { settings.append(try Setting(propertyList: item)) }
            self = .settings(settings)
        case .installApplication: self = .installApplication(try InstallApplication(fields: fields))
        case .managedApplicationList:
            self = .managedApplicationList(identifiers: try fields.optionalStrings(.identifiers))
        case .deviceInformation: self = .deviceInformation(queries: try fields.optionalStrings(.queries) ?? [])
        case nil: self = .unknown(requestType: name)
        }
    }

    var propertyList: PropertyList {
        var members = body
        members[PropertyKey.requestType.rawValue] = .string(requestType)
        return .dictionary(members)
    }

    private var body: [String: PropertyList] {
        switch self {
        case .installProfile(let payload): PropertyList.members([.payload: .data(payload)])
        case .removeProfile(let identifier): PropertyList.members([.identifier: .string(identifier)])
        case .profileList(let managedOnly): PropertyList.members([.managedOnly: .boolean(managedOnly)])
        case .settings(let settings): PropertyList.members([.settings: .array(settings.map(\.propertyList))])
        case .installApplication(let install): install.members
        case .managedApplicationList(let identifiers):
            PropertyList.members([.identifiers: identifiers.map { .array($0.map(PropertyList.string)) }])
        case .deviceInformation(let queries):
            PropertyList.members([.queries: .array(queries.map(PropertyList.string))])
        case .unknown: [:]
        }
    }
}

extension Command.Setting {
    fileprivate init(propertyList: PropertyList) throws(FieldError) {
        let fields = try Fields(propertyList, as: .settings)
        let item = try fields.string(.item)
        guard item == Self.applicationConfigurationName else {
            self = .unknown(item: item)
            return
        }
        self = .applicationConfiguration(
            identifier: try fields.string(.identifier), configuration: try fields.optionalDictionary(.configuration))
    }

    fileprivate var propertyList: PropertyList {
        switch self {
        case .applicationConfiguration(let identifier, let configuration):
            .record([
                .item: .string(item), .identifier: .string(identifier),
                .configuration: configuration.map(PropertyList.dictionary),
            ])
        case .unknown: .record([.item: .string(item)])
        }
    }
}

extension Command.InstallApplication {
    fileprivate init(fields: Fields) throws(FieldError) {
        // Exactly one way to name the app is allowed; Baton's devices support only the manifest.
        guard fields[.iTunesStoreID] == nil else { throw FieldError(.iTunesStoreID, .outOfRange) }
        guard fields[.identifier] == nil else { throw FieldError(.identifier, .outOfRange) }
        self.init(
            manifestURL: try fields.string(.manifestURL),
            managementFlags: ManagementFlags(rawValue: try fields.optionalInteger(.managementFlags) ?? 0),
            configuration: try fields.optionalDictionary(.configuration))
    }

    fileprivate var members: [String: PropertyList] {
        PropertyList.members([
            .manifestURL: .string(manifestURL), .managementFlags: .integer(managementFlags.rawValue),
            .configuration: configuration.map(PropertyList.dictionary),
        ])
    }
}
