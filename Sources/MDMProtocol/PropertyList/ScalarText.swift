// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials

/// The text forms of numbers, dates and data in an XML property list.
enum ScalarText {
    /// Reads decimal digits with an optional sign, within 64 bits.
    static func integer(_ text: String) -> Int64? { Int64(text) }

    /// Reads a finite decimal number.
    static func real(_ text: String) -> Double? {
        let allowed = text.utf8.allSatisfy { $0.isDigit || "+-.eE".utf8.contains($0) }
        guard allowed, let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// Reads Base64; blanks may occur anywhere.
    static func data(_ text: String) -> [UInt8]? {
        let compact = text.utf8.filter { !$0.isXMLBlank }
        return Data(base64Encoded: Data(compact)).map(Array.init)
    }

    static func data(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    /// Reads a time such as `2026-11-21T06:55:00Z`, for years 0001 to 9999.
    static func date(_ text: String) -> Int64? {
        let pattern = Array("dddd-dd-ddTdd:dd:ddZ".utf8)
        let bytes = Array(text.utf8)
        guard bytes.count == pattern.count else { return nil }
        for (byte, expected) in zip(bytes, pattern) {
            guard expected == UInt8(ascii: "d") ? byte.isDigit : byte == expected else { return nil }
        }
        func number(_ range: Range<Int>) -> Int64 { bytes[range].reduce(0) { $0 * 10 + Int64($1 - 0x30) } }
        let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
        let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
        guard year >= 1, (1...12).contains(month), (1...CivilDate.days(in: month, of: year)).contains(day),
            hour < 24, minute < 60, second < 60
        else { return nil }
        return CivilDate.daysSince1970(year: year, month: month, day: day) * 86_400 + hour * 3_600 + minute * 60
            + second
    }

    /// Writes a time; returns nil for years outside 0001 to 9999.
    static func date(_ seconds: Int64) -> String? {
        guard (-62_135_596_800...253_402_300_799).contains(seconds) else { return nil }
        let (days, rest) = seconds.floored(by: 86_400)
        let (year, month, day) = CivilDate.civil(daysSince1970: days)
        func padded(_ value: Int64, _ width: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
        return "\(date)T\(padded(rest / 3_600, 2)):\(padded(rest / 60 % 60, 2)):\(padded(rest % 60, 2))Z"
    }
}

/// Converts between dates of the proleptic Gregorian calendar and days since 1970. Days are counted in eras of 400
/// years that begin in March.
private enum CivilDate {
    static func days(in month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = shifted.floored(by: 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    static func civil(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (days + 719_468).floored(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}

extension Int64 {
    /// Returns quotient and remainder; the remainder is never negative.
    fileprivate func floored(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let remainder = self % divisor
        return remainder < 0 ? (self / divisor - 1, remainder + divisor) : (self / divisor, remainder)
    }
}
