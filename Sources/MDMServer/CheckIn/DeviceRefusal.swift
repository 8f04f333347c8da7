// SPDX-License-Identifier: Apache-2.0
internal import DeviceManagement

/// Why a device's request is refused.
enum DeviceRefusal: Error, Equatable {
    /// The device showed no certificate. Something between may have taken it away, so that nobody is told to leave.
    case noCertificate
    /// The certificate is not that of a living enrollment: the device must drop its enrollment.
    case unrecognized
    /// The certificate belongs to another device than the message names; the device that owns the certificate must not
    /// lose its enrollment over it.
    case otherDevice
    /// The device is enrolled, or about to be, by another profile, and this one was not made to take it over.
    case taken
    /// The body is not what the protocol asks for.
    case malformed(String)
    /// A message of a user's channel, which this server does not serve.
    case userChannel
    case tooLarge
    case notFound

    /// Reads a message of a device.
    ///
    /// - Throws: ``malformed(_:)``, or what `message` throws beside ``FieldError``.
    static func reading<Message>(_ body: [UInt8], as message: (PropertyList) throws -> Message) throws -> Message {
        do { return try message(PropertyList(xml: body)) } catch let error as PropertyListError {
            throw malformed("The body is no property list: \(error)")
        } catch let error as FieldError {
            throw malformed("The message is malformed: \(error)")
        }
    }
}
