// SPDX-License-Identifier: Apache-2.0
internal import MDMProtocol

/// Why a device's request is refused.
enum DeviceRefusal: Error, Equatable {
    /// The device presented no certificate. A proxy may have removed the certificate, so the device must not be told to
    /// drop its enrollment.
    case noCertificate
    /// The certificate belongs to no active enrollment: the device must drop its enrollment.
    case unrecognized
    /// The message names a device other than the certificate's owner. The certificate's owner must not lose its
    /// enrollment.
    case otherDevice
    /// The device is enrolled, or about to be, through another profile, and this profile may not take the device over.
    case taken
    /// The body does not conform to the protocol.
    case malformed(String)
    /// A user channel message. This server does not support user channels.
    case userChannel
    case tooLarge
    case notFound

    /// Parses a message from a device.
    ///
    /// - Throws: ``malformed(_:)``, or any error of `message` except ``FieldError``.
    static func reading<Message>(_ body: [UInt8], as message: (PropertyList) throws -> Message) throws -> Message {
        do { return try message(PropertyList(xml: body)) } catch let error as PropertyListError {
            throw malformed("The body is not a property list: \(error)")
        } catch let error as FieldError {
            throw malformed("The message is malformed: \(error)")
        }
    }
}
