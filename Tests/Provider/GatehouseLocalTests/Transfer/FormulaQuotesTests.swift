import Foundation
import GatehouseBase
import GatehouseLocal
import GatehouseTesting
import IdentityToolkit
import Testing

/// A spreadsheet that opens an export to CSV computes nothing, and an import reads what was exported.
struct FormulaQuotesTests {
  private let scene = Scene()

  private func path(_ name: String) -> String { scene.folder.path + "/" + name }

  /// The signs that OWASP lists, with their fullwidth forms.
  private static let signs: [Unicode.Scalar] = ["=", "+", "-", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}"]

  /// Whether a spreadsheet could compute a cell, as this test sees it: white space, quotes and invisible characters may
  /// be removed before the first sign.
  private static func isComputed(_ cell: String) -> Bool {
    let rest = cell.unicodeScalars.drop {
      $0.properties.isWhitespace || $0 == "\"" || $0.properties.isDefaultIgnorableCodePoint || $0.value < 0x20
    }
    return rest.first.map(signs.contains) ?? false
  }

  /// The cells that a spreadsheet sees that has another separator: quotes count at the beginning of a cell only.
  private static func cells(_ text: String, separator: Unicode.Scalar) -> [[String]] {
    var rows: [[String]] = [[]]
    var scalars = text.unicodeScalars[...]
    while true {
      var cell = ""
      if scalars.first == "\"" {
        scalars.removeFirst()
        while let next = scalars.popFirst() {
          guard next == "\"" else {
            cell.unicodeScalars.append(next)
            continue
          }
          guard scalars.first == "\"" else { break }
          scalars.removeFirst()
          cell.unicodeScalars.append("\"")
        }
      }
      let rest = scalars.prefix { $0 != separator && $0 != "\n" && $0 != "\r" }
      cell += String(rest)
      scalars.removeFirst(rest.count)
      rows[rows.count - 1].append(cell)
      guard let end = scalars.popFirst() else { return rows }
      if end != separator { rows.append([]) }
    }
  }

  /// An account with a text in each column that is a formula at each place where a cell may begin.
  private static func hostile(_ sign: String) -> ImportedAccount {
    func text(_ number: Int) -> String {
      "\(sign)f(\(number));\(sign)1\t\(sign)2\n\(sign)3\r\"\(sign)4;\"\(sign)5;  \(sign)6,\(sign)7;'\(sign)8"
    }
    var user = ImportedAccount(localId: "\(sign)uid;\(sign)1")
    let isLocalPart = ["=", "+", "-", "''="].contains(sign)
    user.email = isLocalPart ? "\(sign)x;\(sign)y@example.com" : "=x;-y@example.com"
    (user.displayName, user.photoUrl, user.phoneNumber) = (text(5), text(6), "+12025550123")
    (user.createdAt, user.lastLoginAt) = (DecimalString(1000), DecimalString(2000))
    let inJSON = sign.unicodeScalars.contains { $0.value < 0x20 } ? "=" : sign
    user.customAttributes = #"{"a":"x;\#(inJSON)1","b":"=2"}"#
    user.providerUserInfo = [
      "google.com", "facebook.com", "twitter.com", "github.com", "apple.com", "microsoft.com", "gc.apple.com",
      "playgames.google.com", "linkedin.com", "yahoo.com",
    ].enumerated().map { index, name in
      var info = Account.ProviderUserInfo(providerId: name)
      (info.rawId, info.email) = (text(10 * index), text(10 * index + 1))
      (info.displayName, info.photoUrl) = (text(10 * index + 2), text(10 * index + 3))
      return info
    }
    return user
  }

  @Test(arguments: ["=", "+", "-", "@", "\t=", "\r", "\u{FF1D}", "\u{FF20}", " =", "\u{200B}=", "''="])
  func `no column of an export is a formula, and each is read back`(sign: String) async throws {
    var user = Self.hostile(sign)
    // An identifier has no control characters.
    if sign.unicodeScalars.contains(where: { $0.value < 0x20 }) { user.localId = "=uid;-1" }
    let call = Making.pbkdf2.call(user)
    let refusals = try await scene.backend.answer(call).error ?? []
    #expect(refusals.isEmpty, "\(refusals.map { $0.message })")
    #expect(try await scene.backend.exportUsers(to: path("users.csv")).users == 1)
    let csv = try String(contentsOfFile: path("users.csv"), encoding: .utf8)

    let columns = Self.cells(csv, separator: ",")[0]
    #expect(columns.count == 52)
    let fixed = [
      2: /true|false/, 3: /[A-Za-z0-9+\/=]+/, 4: /[A-Za-z0-9+\/=]+/, 23: /[0-9]+/, 24: /[0-9]+/, 25: /\+[0-9]+/,
      26: /true|false/,
    ]
    for (index, cell) in columns.enumerated() {
      #expect(!cell.isEmpty, "column \(index) has no text")
      if let alphabet = fixed[index] {
        #expect(cell.wholeMatch(of: alphabet) != nil, "column \(index): \(cell)")
      } else {
        #expect(!Self.isComputed(cell), "column \(index): \(cell)")
        #expect(!["\t", "\r", "\n"].contains(cell.unicodeScalars.first), "column \(index): \(cell)")
      }
    }
    for separator: Unicode.Scalar in [";", "\t"] {
      for cell in Self.cells(csv, separator: separator).joined() { #expect(!Self.isComputed(cell), "\(cell)") }
    }

    let other = Scene()
    var options = UserFileImportOptions()
    options.hash = try UserFileHash(reading: Data(contentsOf: URL(filePath: path("users.csv.hash-config"))))
    let read = try await other.backend.importUsers(from: path("users.csv"), options)
    #expect(read.imported == 1, "\(read)")
    _ = try await scene.backend.exportUsers(to: path("before.json"))
    _ = try await other.backend.exportUsers(to: path("after.json"))
    let files = try ["before.json", "after.json"].map { try Data(contentsOf: URL(filePath: path($0))) }
    #expect(files[0] == files[1])
  }

  @Test func `any text is read back as it was, and only formulas are quoted`() {
    let random = SeededRandomSource(seed: 60)
    let alphabet: [Unicode.Scalar] =
      Self.signs + ["'", "'", "'", ";", "\t", "\r", "\n", " ", "\"", ",", "\u{200B}", "\u{301}", "a", "1", "\u{7F}"]
    for _ in 1...20_000 {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int(random.next() % 9) { text.append(alphabet[Int(random.next() % UInt64(alphabet.count))]) }
      let (given, quoted) = (String(text), String(text).withFormulaQuotes)
      #expect(Array(quoted.withoutFormulaQuotes.utf8) == Array(given.utf8), "\(given.debugDescription)")
      #expect(!Self.isComputed(quoted), "\(given.debugDescription)")
    }
    for name in ["'s-Hertogenbosch", "'tis", "O'Brien", "a=b", "J. Smith", "''", "a;b"] {
      #expect(name.withFormulaQuotes == name && name.withoutFormulaQuotes == name)
    }
  }

  @Test func `a phone or a time that its column cannot hold costs its own row, which is named`() async throws {
    for name in ["a", "b", "c", "d"] {
      var user = ImportedAccount(localId: name)
      user.phoneNumber = "+1202555012\(name.utf8.first ?? 0)".prefix(13).description
      #expect(try await scene.backend.answer(ImportAccounts(users: [user])).error == nil)
    }
    try scene.execute("UPDATE account SET phoneNumber = '=1+1' WHERE uid = 'b'")
    try scene.execute("UPDATE account SET createdAt = -5 WHERE uid = 'c'")
    let result = try await scene.backend.exportUsers(to: path("users.csv"))
    #expect(result.users == 2 && result.refused == 2)
    #expect(result.refusals.map(\.row) == [2, 3] && result.refusals.map(\.uid) == ["b", "c"], "\(result.refusals)")
    #expect(result.refusals.map(\.reason).allSatisfy { $0.contains("export to JSON") }, "\(result.refusals)")
    let csv = try String(contentsOfFile: path("users.csv"), encoding: .utf8)
    #expect(csv.split(separator: "\n").map { $0.prefix(2) } == ["a,", "d,"])
    #expect(try await scene.backend.exportUsers(to: path("users.json")).users == 4)
  }

  @Test func `a password of an emulator is quoted and read back`() async throws {
    let emulator = Scene { $0.acceptsUnverifiedIdentities = true }
    try await emulator.signUp("ada@example.com", "x;=1;+2")
    _ = try await emulator.backend.exportUsers(to: path("users.csv"))
    let csv = try String(contentsOfFile: path("users.csv"), encoding: .utf8)
    for cell in Self.cells(csv, separator: ";").joined() { #expect(!Self.isComputed(cell), "\(cell)") }
    let other = Scene { $0.acceptsUnverifiedIdentities = true }
    #expect(try await other.backend.importUsers(from: path("users.csv")).imported == 1)
    _ = try await other.signIn("ada@example.com", "x;=1;+2")
  }
}
