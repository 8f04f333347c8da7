// SPDX-License-Identifier: Apache-2.0

/// A command and its UUID. The command's result contains the same UUID.
package struct CommandRequest: Hashable, Sendable {
    package let uuid: String
    package let command: Command

    package init(uuid: String, command: Command) {
        self.uuid = uuid
        self.command = command
    }

    /// Why a request cannot be read. If the request has a UUID, the device can still answer the request.
    package struct Malformed: Error, Equatable {
        package let uuid: String?
        package let cause: FieldError
    }

    package init(propertyList: PropertyList) throws(Malformed) {
        var known: String?
        do throws(FieldError) {
            let fields = try Fields(propertyList, as: .command)
            let uuid = try fields.string(.commandUUID)
            guard (1...128).contains(uuid.utf8.count) else { throw FieldError(.commandUUID, .outOfRange) }
            known = uuid
            self.init(uuid: uuid, command: try Command(propertyList: .dictionary(try fields.dictionary(.command))))
        } catch { throw Malformed(uuid: known, cause: error) }
    }

    package var propertyList: PropertyList {
        .record([.commandUUID: .string(uuid), .command: command.propertyList])
    }
}
