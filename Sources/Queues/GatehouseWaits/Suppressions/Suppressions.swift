public import Foundation
import GatehouseBase

/// Known findings that are suppressed for now, each with a reason and an expiry date.
public struct Suppressions: Sendable {
  /// One known finding.
  public struct Entry: Sendable {
    /// The `name` of the report. Names compare as UTF-8 bytes. A name with line numbers, as in older reports, also
    /// counts.
    public let name: String
    /// The reason why the finding is suppressed.
    public let reason: String
    /// The moment from which the finding is reported again.
    public let expires: Date

    /// Makes a known finding.
    ///
    /// - Throws: `SuppressionError` if the reason is blank.
    public init(name: String, reason: String, expires: Date) throws {
      guard !reason.allSatisfy(\.isWhitespace) else { throw SuppressionError("the entry \"\(name)\" has no reason") }
      self.name = name
      self.reason = reason
      self.expires = expires
    }

    func names(_ report: WaitReport) -> Bool { name.isExactly(report.name) || name.isExactly(report.title) }
  }

  /// The entries, in the order of the list.
  public let entries: [Entry]

  /// Makes a list of entries. An empty list suppresses no finding.
  public init(_ entries: [Entry] = []) { self.entries = entries }

  /// Reads a list in JSON, with one object for each entry:
  ///
  ///     [{"name": "queue a → lock b → queue a", "reason": "…", "expires": "2027-01-31"}]
  ///
  /// An entry expires when its day begins in UTC.
  ///
  /// - Throws: `SuppressionError` if any part of the list is not understood, so that no finding is hidden by a mistake.
  public init(json: [UInt8]) throws {
    let value: JSONValue
    do { value = try JSONValue(reading: json) } catch {
      throw SuppressionError("the list is not valid JSON: \(error.message)")
    }
    guard let list = value.array else { throw SuppressionError("the list must be a JSON array") }
    entries = try list.map(Entry.init)
  }

  /// Returns whether a report is suppressed at a moment.
  public func covers(_ report: WaitReport, at now: Date) -> Bool { entry(for: report, at: now) != nil }
}

extension Suppressions.Entry {
  fileprivate init(_ value: JSONValue) throws {
    guard let object = value.object, let name = object["name"]?.string, let reason = object["reason"]?.string,
      let day = object["expires"]?.string, object.count == 3
    else {
      throw SuppressionError("each entry must have the members \"name\", \"reason\" and \"expires\", and no others")
    }
    guard let expires = Date(utcDay: day) else {
      throw SuppressionError(
        "\"expires\" of the entry \"\(name)\" must be a date such as 2027-01-31; there is no day \"\(day)\"")
    }
    try self.init(name: name, reason: reason, expires: expires)
  }
}

extension Date {
  /// The moment at which a day begins in UTC, from `YYYY-MM-DD` in the proleptic Gregorian calendar.
  ///
  /// Years are counted from March, so that a leap day is the last day of its year.
  fileprivate init?(utcDay text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2], parts.allSatisfy({ $0.utf8.allSatisfy { 48...57 ~= $0 } }),
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]), 1...12 ~= month
    else { return nil }
    let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let days = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard 1...days[month - 1] ~= day else { return nil }
    let years = month > 2 ? year : year - 1
    let sinceMarch = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let since1970 = 365 * years + years / 4 - years / 100 + years / 400 + sinceMarch - 719_468
    self.init(timeIntervalSince1970: Double(since1970) * 86_400)
  }
}
