// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import JSON
package import Logging

/// Writes each message as one JSON object on one line.
///
/// The keys `time`, `level` and `message` are always present. `code` is present if the message has a stable code.
/// `request` is present if the message belongs to a request whose id is known. `values` contains all other metadata. A
/// line has at most ``limit`` bytes of each value.
package struct JSONLogHandler: LogHandler {
    /// The metadata key of a request's id. The same id appears in the app, in the broker's log and in the server's log.
    package static let request = "request.id"
    /// The metadata keys whose values are stable codes, in order of preference.
    private static let codes = ["error.code", "oauth.number", "registration.code", "http.status", "response.status"]
    /// The metadata key under which the HTTP server stores its own number for the request.
    private static let ownRequest = "hb.request.id"
    /// The maximum number of bytes of a message or value; the rest is cut off.
    package static let limit = 8192

    package var logLevel: Logger.Level = .info
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?

    private let write: @Sendable ([UInt8]) -> Void
    private let now: @Sendable () -> Int64

    package init() {
        self.init(now: { JSONLogHandler.clock() }, write: { JSONLogHandler.toStandardError($0) })
    }

    /// - Parameters:
    ///   - now: returns the time in milliseconds since 1970.
    ///   - write: receives each line with its line feed.
    package init(now: @escaping @Sendable () -> Int64, write: @escaping @Sendable ([UInt8]) -> Void) {
        (self.now, self.write) = (now, write)
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var values = metadata
        if let provided = metadataProvider?.get() { values.merge(provided) { $1 } }
        if let own = event.metadata { values.merge(own) { $1 } }
        if let error = event.error { values["error"] = "\(error)" }
        let own = values.removeValue(forKey: Self.ownRequest)
        let request = values.removeValue(forKey: Self.request) ?? own
        let code = Self.codes.first { values[$0] != nil }
        var line = JSONWriter(byteCount: 256)
        line.beginObject()
        line.append(name: "time")
        line.append(Self.text(of: now()))
        line.append(name: "level")
        line.append(event.level.rawValue)
        if let code, let value = values.removeValue(forKey: code) {
            line.append(name: "code")
            line.append(Self.cut(value.description))
        }
        line.append(name: "message")
        line.append(Self.cut(event.message.description))
        if let request {
            line.append(name: "request")
            line.append(Self.cut(request.description))
        }
        if !values.isEmpty {
            line.append(name: "values")
            line.beginObject()
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                line.append(name: key)
                line.append(Self.cut(value.description))
            }
            line.endObject()
        }
        line.endObject()
        write(line.bytes + [UInt8(ascii: "\n")])
    }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > limit else { return text }
        return String(decoding: text.utf8.prefix(limit), as: UTF8.self)
    }

    private static func clock() -> Int64 {
        var now = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }

    /// Returns the text of a time in milliseconds since 1970: in UTC, in the format of RFC 3339.
    private static func text(of time: Int64) -> String {
        func padded(_ number: Int64, _ width: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
        }
        let (days, rest) = max(0, time).quotientAndRemainder(dividingBy: 86_400_000)
        // The calendar repeats every 400 years. Years begin in March here, so that a leap day is the last day of a year.
        let (era, day) = (days + 719_468).quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let march = (5 * dayOfYear + 2) / 153
        let month = march < 10 ? march + 3 : march - 9
        let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        let date = [padded(year, 4), padded(month, 2), padded(dayOfYear - (153 * march + 2) / 5 + 1, 2)]
        let clock = [padded(rest / 3_600_000, 2), padded(rest / 60_000 % 60, 2), padded(rest / 1000 % 60, 2)]
        return date.joined(separator: "-") + "T" + clock.joined(separator: ":") + "." + padded(rest % 1000, 3) + "Z"
    }

    /// Writes a whole line. Lines of several threads do not mix, because each line is one write to the kernel, unless
    /// the kernel accepts only a part of a line.
    private static func toStandardError(_ line: [UInt8]) {
        var rest = line[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
