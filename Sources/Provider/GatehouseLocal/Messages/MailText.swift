import FoundationEssentials
import GatehouseBase

/// Formats a message as mail, with header fields and a text, by RFC 5322 and RFC 2045.
enum MailText {
  /// Returns the bytes, with CR LF at the end of each line.
  ///
  /// - Parameters:
  ///   - seconds: the time of the message, in seconds since 1970.
  ///   - id: a random identifier, in letters and digits.
  /// - Throws: `.invalidSender` or `.invalidRecipientEmail` for an address that would end its header field.
  static func make(
    _ message: OutgoingMessage, from sender: String, at seconds: Double, id: String
  ) throws(AuthError) -> [UInt8] {
    guard isOneLine(sender) else { throw AuthError(.invalidSender, "the sender's address has a line break in it") }
    guard isOneLine(message.recipient) else {
      throw AuthError(.invalidRecipientEmail, "the recipient's address has a line break in it")
    }
    let text = message.text.revealed.split(separator: "\n", omittingEmptySubsequences: false)
    // A person who opens the file sees the link.
    let isPlain = text.allSatisfy(isPlainLine)
    let lines = [
      "From: \(sender)", "To: \(try mailbox(message.recipient.emailWithDomainInASCII))",
      "Subject: \(encodedWords(message.subject))",
      "Date: \(date(seconds))", "Message-ID: <\(id)@\(domain(of: sender))>",
      // Autoresponders and mailing lists must not answer (RFC 3834).
      "Auto-Submitted: auto-generated", "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: \(isPlain ? "7bit" : "base64")", "",
    ]
    let whole = text.joined(separator: "\r\n") + "\r\n"
    guard !isPlain else { return Array((lines.joined(separator: "\r\n") + "\r\n" + whole).utf8) }
    return Array((lines + folded(Base64.encode(Array(whole.utf8)), at: 76) + [""]).joined(separator: "\r\n").utf8)
  }

  /// Whether a line can be sent as it is (RFC 2045 §2.7, RFC 5322 §2.1.1). Some mailboxes would change one that begins
  /// with `From `.
  private static func isPlainLine(_ line: Substring) -> Bool {
    line.utf8.count <= 998 && line.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x09 }
      && !line.hasPrefix("From ")
  }

  /// Returns a time as RFC 5322 §3.3 has it, such as `Tue, 14 Nov 2023 22:13:20 +0000`. A clock's odd reading gives the
  /// nearest date of the years 1970 to 9999.
  private static func date(_ seconds: Double) -> String {
    let seconds = seconds.isNaN ? 0 : min(max(seconds.rounded(.down), 0), 253_402_300_799)
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let parts = calendar.dateComponents(
      [.weekday, .day, .month, .year, .hour, .minute, .second], from: Date(timeIntervalSince1970: seconds))
    func number(_ value: Int?) -> String { (value ?? 0) < 10 ? "0\(value ?? 0)" : "\(value ?? 0)" }
    let day = days[(parts.weekday ?? 1) - 1]
    let month = months[(parts.month ?? 1) - 1]
    let time = [parts.hour, parts.minute, parts.second].map(number).joined(separator: ":")
    return "\(day), \(parts.day ?? 1) \(month) \(parts.year ?? 1970) \(time) +0000"
  }

  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// The domain of a sender's address, which may have a name before it; `localhost` for one without a usable domain.
  private static func domain(of sender: String) -> String {
    let domain = sender.split(separator: "@", omittingEmptySubsequences: false).dropFirst().last?.prefix { $0 != ">" }
    guard let domain, !domain.isEmpty, domain.utf8.allSatisfy({ isAtomic($0) && $0 < 0x80 }) else { return "localhost" }
    return String(domain)
  }

  /// Returns an address in header syntax, so that it is one recipient: `a,b@example.com` would be two.
  private static func mailbox(_ address: String) throws(AuthError) -> String {
    let sides = address.split(separator: "@", omittingEmptySubsequences: false)
    guard sides.count == 2, !sides[0].isEmpty, sides[1].utf8.allSatisfy({ isAtomic($0) }) else {
      throw AuthError(.invalidRecipientEmail, "the recipient's address is none that mail can be sent to")
    }
    let local = sides[0]
    if local.utf8.allSatisfy({ isAtomic($0) }) { return address }
    let inner = local.utf8.count > 1 && local.first == "\"" && local.last == "\"" ? local.dropFirst().dropLast() : local
    let isQuoted = inner.count < local.count && !inner.contains { $0 == "\"" || $0 == "\\" }
    if isQuoted { return address }
    let escaped = local.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
    return "\"\(String(escaped))\"@\(sides[1])"
  }

  /// Whether a byte may be in an address without quotes (RFC 5322 and RFC 6532): all but the special characters.
  private static func isAtomic(_ byte: UInt8) -> Bool { byte > 0x20 && byte != 0x7F && !specials.contains(byte) }

  private static let specials = Set(#"()<>[]:;@\,""#.utf8)

  private static func isOneLine(_ text: String) -> Bool {
    !text.isEmpty && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }

  /// Returns a printable ASCII subject as it is, and any other in encoded words of at most 75 characters (RFC 2047).
  private static func encodedWords(_ subject: String) -> String {
    let subject = String(subject.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) })
    if subject.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), subject.utf8.count <= 66 { return subject }
    var words: [String] = []
    var word: [UInt8] = []
    for character in subject {
      // An encoded word must not end within a character. 45 bytes are 60 characters in base64.
      if word.count + character.utf8.count > 45 {
        words.append("=?utf-8?B?\(Base64.encode(word))?=")
        word = []
      }
      word += character.utf8
    }
    return (words + ["=?utf-8?B?\(Base64.encode(word))?="]).joined(separator: "\r\n ")
  }

  private static func folded(_ text: String, at width: Int) -> [String] {
    var lines: [String] = []
    var rest = text[...]
    while !rest.isEmpty {
      lines.append(String(rest.prefix(width)))
      rest = rest.dropFirst(width)
    }
    return lines
  }
}
