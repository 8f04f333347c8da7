// SPDX-License-Identifier: Apache-2.0

extension CheckInMessage {
    /// Reads a check-in message.
    ///
    /// - Throws: ``FieldError`` if a member is missing or has the wrong type.
    package init(propertyList: PropertyList) throws(FieldError) {
        let fields = try Fields(propertyList, as: .messageType)
        let name = try fields.string(.messageType)
        guard let type = MessageType(rawValue: name) else {
            self = .unknown(messageType: name)
            return
        }
        guard fields[.userID] == nil else {
            self = .ofUser(messageType: name)
            return
        }
        let udid = try UDIDField.read(fields)
        let topic = try fields.string(.topic)
        switch type {
        case .authenticate: self = .authenticate(try Authenticate(fields, udid: udid, topic: topic))
        case .tokenUpdate: self = .tokenUpdate(try TokenUpdate(fields, udid: udid, topic: topic))
        case .checkOut: self = .checkOut(CheckOut(udid: udid, topic: topic))
        }
    }

    /// Returns whether the property list is meant as a check-in message, even if it is malformed.
    package static func isMeant(by propertyList: PropertyList) -> Bool {
        guard let fields = try? Fields(propertyList, as: .messageType) else { return false }
        return fields[.messageType] != nil && fields[.status] == nil
    }

    package var propertyList: PropertyList {
        switch self {
        case .authenticate(let message): message.propertyList
        case .tokenUpdate(let message): message.propertyList
        case .checkOut(let message):
            .record([
                .messageType: .string(MessageType.checkOut.rawValue), .udid: .string(message.udid),
                .topic: .string(message.topic),
            ])
        case .unknown(let messageType), .ofUser(let messageType): .record([.messageType: .string(messageType)])
        }
    }
}

extension CheckInMessage.Authenticate {
    fileprivate init(_ fields: Fields, udid: String, topic: String) throws(FieldError) {
        self.init(
            udid: udid, topic: topic,
            osVersion: try fields.optionalString(.osVersion),
            buildVersion: try fields.optionalString(.buildVersion),
            productName: try fields.optionalString(.productName),
            serialNumber: try fields.optionalString(.serialNumber),
            deviceName: try fields.optionalString(.deviceName),
            model: try fields.optionalString(.model),
            modelName: try fields.optionalString(.modelName))
    }

    fileprivate var propertyList: PropertyList {
        .record([
            .messageType: .string(CheckInMessage.MessageType.authenticate.rawValue),
            .udid: .string(udid),
            .topic: .string(topic),
            .osVersion: osVersion.map(PropertyList.string),
            .buildVersion: buildVersion.map(PropertyList.string),
            .productName: productName.map(PropertyList.string),
            .serialNumber: serialNumber.map(PropertyList.string),
            .deviceName: deviceName.map(PropertyList.string),
            .model: model.map(PropertyList.string),
            .modelName: modelName.map(PropertyList.string),
        ])
    }
}

extension CheckInMessage.TokenUpdate {
    fileprivate init(_ fields: Fields, udid: String, topic: String) throws(FieldError) {
        self.init(
            udid: udid, topic: topic,
            token: try fields.data(.token),
            pushMagic: try fields.string(.pushMagic),
            unlockToken: try fields.optionalData(.unlockToken),
            awaitingConfiguration: try fields.optionalBoolean(.awaitingConfiguration) ?? false)
    }

    fileprivate var propertyList: PropertyList {
        .record([
            .messageType: .string(CheckInMessage.MessageType.tokenUpdate.rawValue),
            .udid: .string(udid),
            .topic: .string(topic),
            .token: .data(token),
            .pushMagic: .string(pushMagic),
            .unlockToken: unlockToken.map(PropertyList.data),
            .awaitingConfiguration: awaitingConfiguration ? true : nil,
        ])
    }
}

/// Reads the device's UDID, which every message contains.
enum UDIDField {
    /// Returns the UDID.
    ///
    /// - Throws: ``FieldError`` if the UDID is missing, is not 1 to 128 bytes long, or contains other than visible
    ///   ASCII characters.
    static func read(_ fields: Fields) throws(FieldError) -> String {
        let udid = try fields.string(.udid)
        guard (1...128).contains(udid.utf8.count), udid.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw FieldError(.udid, .outOfRange)
        }
        return udid
    }
}
