import Foundation
import GatehouseBase
import Testing

/// Second factors as a person meets them, on a terminal that Python makes.
@Suite(.enabled("python3 is not installed") { await Terminal.isThere })
struct SecondFactorPromptTests {
  private static let enroll = ["second-factors", "enroll"]

  @Test func `an app is enrolled by a code of three tries, and a sign-in asks for a code`() async throws {
    try await GateHome.withVerifiedAda { home in
      let enrolled = try await Terminal.run(
        home, Self.enroll, typing: [GateHome.password, "123", "12 34", Terminal.appCode])
      #expect(enrolled.status == 0 && enrolled.output.contains("enrolled: authenticator app ("), "\(enrolled)")
      #expect(enrolled.output.contains("Password of ada@example.com, to enroll a second factor: "), "\(enrolled)")
      #expect(enrolled.output.components(separatedBy: "that is not the app's code").count == 3, "\(enrolled)")
      let codes = enrolled.output.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("  ") && $0.count == 21 }
      try #require(codes.count == 10, "\(enrolled)")

      let signedIn = try await Terminal.run(
        home, ["sign-in", GateHome.email], typing: [GateHome.password, "wrong", "\u{1B}[200~\(codes[0])\u{1B}[201~"])
      #expect(signedIn.status == 0 && signedIn.output.contains("that code is not good"), "\(signedIn)")
      #expect(signedIn.output.contains("Code of the app, or a recovery code: "), "\(signedIn)")
      let refused = try await Terminal.run(
        home, ["sign-in", GateHome.email], typing: [GateHome.password, "a", "b", "c", "d"])
      #expect(refused.status == 1 && refused.output.contains("[invalidVerificationCode]"), "\(refused)")
      #expect(refused.output.components(separatedBy: "Code of the app").count == 4, "\(refused)")
      // A wrong password is said before any code is asked for.
      let wrong = try await Terminal.run(home, ["delete"], typing: ["wrong horse"])
      #expect(wrong.status == 1 && !wrong.output.contains("Code of the app"), "\(wrong)")
      let deleted = try await Terminal.run(home, ["delete"], typing: [GateHome.password, String(codes[1])])
      #expect(deleted.status == 0, "\(deleted)")
    }
  }

  @Test func `where an account has several apps, a person says which one shows the code`() async throws {
    try await GateHome.withTwoApps { home, app, tablet in
      let signedIn = try await Terminal.run(
        home, ["sign-in", GateHome.email],
        typing: [GateHome.password, try app.wrongCode(), "1", "", Terminal.nextCode(of: tablet), "3", "2"],
        columns: 200)
      #expect(signedIn.status == 0, "\(signedIn)")
      #expect(signedIn.output.contains("  1  my phone (\(app.id))\r\n  2  tablet (\(tablet.id))\r\n"), "\(signedIn)")
      for words in ["that code is not good", "no code was given", "no app has that number; type one from 1 to 2"] {
        #expect(signedIn.output.components(separatedBy: words).count == 2, "\(signedIn)")
      }
      let named = try await Terminal.run(
        home, ["sign-in", GateHome.email, "--app", "tablet"], typing: [GateHome.password, "", "", ""])
      #expect(named.status == 1 && named.output.contains("[missingVerificationCode]"), "\(named)")
      #expect(!named.output.contains("App that shows it"), "\(named)")
    }
  }

  @Test func `the code of a phone is in the home's outbox`() async throws {
    try await GateHome.withVerifiedAda { home in
      let outbox = home.path + "/outbox"
      let enrolled = try await Terminal.run(
        home, Self.enroll + ["--phone", "+12025550123"], typing: [GateHome.password, Terminal.textCode], columns: 400)
      #expect(enrolled.status == 0, "\(enrolled)")
      _ = try await home.shell("rm -r \"$home/outbox\"")

      let signedIn = try await Terminal.run(
        home, ["sign-in", GateHome.email], typing: [GateHome.password, "wrong", Terminal.textCode],
        columns: 400)
      #expect(signedIn.status == 0 && signedIn.output.contains("signed in: ada@example.com"), "\(signedIn)")
      #expect(signedIn.output.contains("is in \(outbox)"), "\(signedIn)")
      #expect(try home.names(in: "outbox").count == 1)
      let list = try await home.gate("second-factors", "list")
      #expect(list.output.hasPrefix("+12025550123 ("), "\(list)")
    }
  }

  @Test func `a phone is enrolled by the code of a text`() async throws {
    try await GateHome.withVerifiedAda { home in
      let arguments = Self.enroll + ["--phone", "+12025550123", "--name", "work"]
      let enrolled = try await Terminal.run(home, arguments, typing: [GateHome.password, "1", Terminal.textCode])
      #expect(enrolled.status == 0 && enrolled.output.contains("enrolled: work ("), "\(enrolled)")
      #expect(enrolled.output.contains("that is not the code of the text"), "\(enrolled)")
      #expect(enrolled.output.contains("Recovery codes, each for one sign-in:"), "\(enrolled)")
      let list = try JSONObject(parsing: try await home.gate("second-factors", "list", "--json").output.utf8)
      let factor = try #require(list["secondFactors"]?.array?.first)
      #expect(factor["kind"] == "phone" && factor["phoneNumber"] == "+12025550123", "\(list)")
      _ = try await home.shell("rm -r \"$home/outbox\"")
      let signedIn = try await Terminal.run(
        home, ["sign-in", GateHome.email], typing: [GateHome.password, Terminal.textCode])
      #expect(signedIn.status == 0, "\(signedIn)")
    }
  }

  @Test func `the secret is a QR code where there is room, and else text with its address`() async throws {
    try await GateHome.withVerifiedAda { home in
      for (rows, margin) in [(26, 4), (24, 2)] {
        let wide = try await Terminal.run(home, Self.enroll, typing: [GateHome.password, "1", "2", "3"], rows: rows)
        #expect(wide.status == 1 && !wide.output.contains("otpauth:"), "\(wide)")
        let screen = DrawnCode(wide.output)
        #expect(screen.isQRCode(margin: margin), "\(wide)")
        // With a row for the question below it.
        #expect(screen.rows.count / 2 < rows)
        if let read = try await screen.read(in: home) {
          let secret = try #require(wide.output.firstMatch(of: /its secret:\s+([A-Z2-7 ]+)/)).1.filter { $0 != " " }
          #expect(read.contains("otpauth://totp/Gatehouse:ada@example.com?secret=\(secret)&"), "\(read)")
        }
      }
      for (columns, rows, terminal) in [(44, 24, "xterm"), (80, 23, "xterm"), (80, 24, "dumb")] {
        let text = try await Terminal.run(
          home, Self.enroll, typing: [GateHome.password, "1", "2", "3"], columns: columns, rows: rows,
          environment: ["TERM": terminal])
        #expect(text.output.contains("Secret for the authenticator app:"), "\(text)")
        #expect(text.output.contains("otpauth://totp/Gatehouse:ada@example.com?secret="), "\(text)")
        #expect(!text.output.contains("█"), "\(text)")
      }
    }
  }
}

/// A QR code on a screen, read back as its modules: two in each character, one above the other.
private struct DrawnCode {
  /// Row by row, with the margin; dark is true.
  let rows: [[Bool]]

  init(_ screen: String) {
    let blackOnWhite = "\u{1B}[38;5;16;48;5;231m"
    rows = screen.split(whereSeparator: \.isNewline).filter { $0.hasPrefix(blackOnWhite) }.flatMap { line in
      let characters = line.dropFirst(blackOnWhite.count).prefix { $0 != "\u{1B}" }
      return [characters.map { "█▀".contains($0) }, characters.map { "█▄".contains($0) }]
    }
  }

  /// Whether it has what every code has: a light margin of so many modules, the three finder patterns, and the dark
  /// module beside the lower one, which no mirrored, turned or inverted code has there.
  func isQRCode(margin: Int) -> Bool {
    let side = (rows.first?.count ?? 0) - 2 * margin
    guard side >= 21, side % 4 == 1, rows.count >= side + 2 * margin, rows.allSatisfy({ $0.count == side + 2 * margin })
    else { return false }
    let code = rows[margin..<margin + side].map { Array($0[margin..<margin + side]) }
    let inMargin = rows.enumerated().flatMap { y, row in
      row.enumerated().filter { x, _ in min(x, y) < margin || max(x, y) >= margin + side }.map(\.element)
    }
    func isFinder(_ left: Int, _ top: Int) -> Bool {
      (0..<7).allSatisfy { y in
        (0..<7).allSatisfy { x in
          let ring = max(abs(x - 3), abs(y - 3))
          return code[top + y][left + x] == (ring != 2)
        }
      }
    }
    return !inMargin.contains(true) && isFinder(0, 0) && isFinder(side - 7, 0) && isFinder(0, side - 7)
      && !isFinder(side - 7, side - 7) && code[side - 8][8]
  }

  /// What another program reads in it; `nil` where that is not installed.
  func read(in home: GateHome) async throws -> String? {
    let scale = 4
    let pixels = rows.flatMap { row in
      let line = row.flatMap { [UInt8](repeating: $0 ? 0 : 255, count: scale) }
      return (0..<scale).flatMap { _ in line }
    }
    let header = "P5 \((rows.first?.count ?? 0) * scale) \(rows.count * scale) 255\n"
    try (Data(header.utf8) + Data(pixels)).write(to: URL(filePath: home.folder + "/code.pgm"))
    let outcome = try await home.shell("command -v zbarimg > path || exit 9; zbarimg -q code.pgm 2> errors")
    return outcome.status == 9 ? nil : outcome.output
  }
}
