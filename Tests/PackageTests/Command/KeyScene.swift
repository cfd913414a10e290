import Foundation
import GatehouseJOSE
import Testing

/// A folder with key files, for the commands that read and make them.
struct KeyScene: Sendable {
  let home: GateHome

  static func with(_ body: (KeyScene) async throws -> Void) async throws {
    try await GateHome.withNone { try await body(KeyScene(home: $0)) }
  }

  /// RFC 8037, appendix A.
  static let published: JSONObject = [
    "kty": "OKP", "crv": "Ed25519", "d": "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
    "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
  ]
  static let publishedThumbprint = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"

  /// What a line of shell prints, run in the folder; it must succeed, and say nothing else.
  func output(_ line: String) async throws -> String {
    let outcome = try await home.shell(line)
    #expect(outcome.succeeded && outcome.errors == "", "\(line)\n\(outcome)")
    return outcome.output
  }

  /// Expects a line of shell to be refused with a code, and to print nothing.
  func expect(_ line: String, toBe code: String) async throws {
    let outcome = try await home.shell(line)
    #expect(outcome.status == 1 && outcome.output == "" && outcome.errors.contains("[\(code)]"), "\(line)\n\(outcome)")
  }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: "\(home.folder)/\(name)"))
  }

  func text(of name: String) throws -> String {
    try String(contentsOf: URL(filePath: "\(home.folder)/\(name)"), encoding: .utf8)
  }

  func key(in name: String) throws -> JWK { try JWK(parsing: text(of: name).utf8) }
}
