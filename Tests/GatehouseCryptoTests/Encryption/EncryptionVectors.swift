import Foundation
import GatehouseBase

/// Wycheproof's files for encryption, some of which are not in the usual folder of vectors.
///
/// Each is looked for by its name: in `GATEHOUSE_MORE_VECTORS`, and in the folder of vectors.
enum EncryptionVectors {
  private static let folders: [URL] = {
    let environment = ProcessInfo.processInfo.environment
    let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let vectors =
      environment["GATEHOUSE_VECTORS"].map { URL(fileURLWithPath: $0) }
      ?? root.deletingLastPathComponent().appendingPathComponent("shared/vectors")
    let more = environment["GATEHOUSE_MORE_VECTORS"].map { [URL(fileURLWithPath: $0)] } ?? []
    return more + [vectors.appendingPathComponent("wycheproof"), vectors.appendingPathComponent("more")]
  }()

  private static func file(_ name: String) -> URL? {
    folders.map { $0.appendingPathComponent("\(name)_test.json") }
      .first { FileManager.default.fileExists(atPath: $0.path) }
  }

  static func have(_ name: String) -> Bool { file(name) != nil }

  /// The test groups of one file; none if it is not there.
  static func groups(_ name: String) throws -> [JSONValue] {
    guard let file = file(name) else { return [] }
    let document = try JSONValue(parsing: Data(contentsOf: file), limits: JSONLimits(bytes: 64 << 20))
    return document["testGroups"]?.array ?? []
  }
}

extension JSONValue {
  /// The bytes that a member spells in hexadecimal.
  func hex(_ name: String) -> [UInt8] { bytes(hex: self[name]?.string ?? "") }

  /// What one of Wycheproof's tests asks for: `valid`, `invalid` or `acceptable`.
  var result: String { self["result"]?.string ?? "" }

  var tests: [JSONValue] { self["tests"]?.array ?? [] }

  var id: Int64 { self["tcId"]?.integer ?? 0 }

  func isFlagged(_ flag: String) -> Bool { self["flags"]?.array?.contains(.string(flag)) ?? false }
}
