// SPDX-License-Identifier: Apache-2.0

/// A `Date` header (RFC 9110 section 5.6.7), in the only format that servers may send.
package struct HTTPDate: Equatable {
    /// Seconds since 1970.
    package let seconds: Int

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    package init?(_ text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let day = Int(parts[1]), (1...31).contains(day),
            let month = Self.months.firstIndex(of: String(parts[2])), let year = Int(parts[3]),
            (1970...9999).contains(year)
        else { return nil }
        let time = parts[4].split(separator: ":").map { Int($0) }
        guard time.count == 3, let hour = time[0], let minute = time[1], let second = time[2],
            (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        seconds = Self.days(year: year, month: month + 1, day: day) * 86_400 + hour * 3600 + minute * 60 + second
    }

    /// Returns the number of days from 1970-01-01 to a Gregorian date. In this calculation, years begin in March, so
    /// that a leap day is the last day of a year.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }
}
