public import GatehouseBase

/// Findings that are known, and why they are left alone for now.
///
/// A JSON list, one object for each: `[{"name": "queue a → lock b → queue a", "reason": "…", "expires":
/// "2027-01-31"}]`. From the day that it names on a finding is reported again.
public struct Suppressions: Sendable {
  public struct Entry: Sendable, Hashable {
    /// The `name` of the report.
    public let name: String
    public let reason: String
    /// The first day on which it does not count any more, as `YYYY-MM-DD`.
    public let expires: String
    fileprivate let day: Int

    public init(name: String, reason: String, expires: String) throws(AuthError) {
      guard !reason.allSatisfy(\.isWhitespace) else { throw .suppression("\(name) has no reason") }
      guard let day = Self.day(expires) else {
        throw .suppression("the expiry date of \(name) must look like 2027-01-31")
      }
      self.day = day
      self.name = name
      self.reason = reason
      self.expires = expires
    }

    /// Days from 1970 to a date, `YYYY-MM-DD`, in the proleptic Gregorian calendar; years are counted from March, so
    /// that a leap day is the last of its year.
    private static func day(_ text: String) -> Int? {
      let parts = text.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.map(\.utf8.count) == [4, 2, 2], parts.allSatisfy({ $0.utf8.allSatisfy { 48...57 ~= $0 } }),
        let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]), 1...12 ~= month, 1...31 ~= day
      else { return nil }
      let years = month > 2 ? year : year - 1
      let sinceMarch = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
      return 365 * years + years / 4 - years / 100 + years / 400 + sinceMarch - 719_468
    }
  }

  public let entries: [Entry]

  public init(_ entries: [Entry] = []) { self.entries = entries }

  /// Reads a suppression file. Throws when a part of it is not understood: a finding must not hide behind a slip.
  public init(json: [UInt8]) throws(AuthError) {
    guard let list = try JSONValue(parsing: json).array else { throw .suppression("it is no list") }
    entries = try list.map { value throws(AuthError) in
      guard let object = value.object, let name = object["name"]?.string, let reason = object["reason"]?.string,
        let expires = object["expires"]?.string, object.count == 3
      else { throw .suppression("an entry must have a name, a reason and an expiry date, and nothing else") }
      return try Entry(name: name, reason: reason, expires: expires)
    }
  }

  /// Whether a finding is left alone on a day, in seconds since 1970.
  public func covers(_ report: WaitReport, at now: Double) -> Bool {
    entries.contains { $0.name.isExactly(report.name) && now < Double($0.day) * 86_400 }
  }
}

extension AuthError {
  fileprivate static func suppression(_ what: String) -> AuthError {
    AuthError(.invalidArgument, "the suppression file cannot be used: \(what)")
  }
}
