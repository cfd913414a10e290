/// A server's statement that it cannot serve for now.
package struct Unavailability {
  /// The reason and the advice, for people.
  package let text: String
  /// The time to wait, if the server states one; at most a day.
  package let retryAfter: Duration?

  private static let longestWait = 86_400.0

  /// Returns `nil` for any other response: its status is neither 429 nor a server error.
  ///
  /// - Parameter now: the time, in seconds since 1970, because the server may name a time.
  package init?(_ response: TransportResponse, at now: Double) {
    guard response.status == 429 || (500...599).contains(response.status) else { return nil }
    let wait = response.headers["Retry-After"].flatMap { Self.wait($0, at: now) }
    retryAfter = wait.map { .seconds($0) }
    let state = response.status == 429 ? "takes no more requests for now" : "is unavailable"
    let advice = wait.map { $0 > 0 ? "try again in \(Int($0)) s" : "try again" } ?? "try again later"
    text = "\(state) (status \(response.status)); \(advice)"
  }

  /// The whole seconds of `Retry-After` (RFC 9110 §10.2.3): a number, or a time. `nil` for anything else.
  private static func wait(_ text: String, at now: Double) -> Double? {
    if (1...20).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      return Double(text).map { min($0, longestWait) }
    }
    return moment(text).map { min(max(0, ($0 - now).rounded(.up)), longestWait) }
  }

  /// Parses a time in the one form that servers must send (RFC 9110 §5.6.7), such as `Sun, 06 Nov 1994 08:49:37 GMT`,
  /// to seconds since 1970.
  private static func moment(_ text: String) -> Double? {
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let words = text.split(separator: " ").map(String.init)
    guard words.count == 6, words[5] == "GMT", let month = months.firstIndex(of: words[2]) else { return nil }
    let clock = words[4].split(separator: ":").map { UInt16($0) }
    guard let day = UInt16(words[1]), let year = UInt16(words[3]), clock.count == 3, let hour = clock[0],
      let minute = clock[1], let second = clock[2], (1...31).contains(day), (1970...9999).contains(year), hour < 24,
      minute < 60, second <= 60
    else { return nil }
    // Counts days in a calendar whose years begin with March, so that the leap day is the last one.
    let monthsSinceMarch = (month + 10) % 12
    let marches = Int(year) - (month < 2 ? 1 : 0)
    let leapDays = marches / 4 - marches / 100 + marches / 400
    let days = marches * 365 + leapDays + (monthsSinceMarch * 306 + 5) / 10 + Int(day) - 1 - 719_468
    return Double(((days * 24 + Int(hour)) * 60 + Int(minute)) * 60 + Int(second))
  }
}
