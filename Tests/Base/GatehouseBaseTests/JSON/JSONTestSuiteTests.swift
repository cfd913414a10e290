import Foundation
import GatehouseBase
import Testing

/// The public suite of JSON texts: `y_` must be accepted, `n_` refused, and of `i_` only an answer is asked.
///
/// Two of the texts that must be accepted name a member twice, which this parser refuses on purpose.
@Suite(.enabled(if: JSONTestSuite.isHere, "there is no folder of vectors: set GATEHOUSE_VECTORS"))
struct `The public JSON suite` {
  @Test func `is answered as it asks`() throws {
    var counts: [Character: Int] = [:]
    for file in try JSONTestSuite.files() {
      let bytes = [UInt8](try Data(contentsOf: file))
      let accepted = (try? JSONValue(parsing: bytes, limits: JSONLimits(depth: 512))) != nil
      let kind = try #require(file.lastPathComponent.first)
      let asked = kind == "y" && !JSONTestSuite.twice.contains(file.lastPathComponent)
      if kind != "i" { #expect(accepted == asked, "\(file.lastPathComponent)") }
      counts[kind, default: 0] += 1
    }
    #expect(counts == ["y": 95, "n": 188, "i": 35])
  }

  @Test func `is refused where it names a member twice`() throws {
    for file in try JSONTestSuite.files() where JSONTestSuite.twice.contains(file.lastPathComponent) {
      let bytes = [UInt8](try Data(contentsOf: file))
      #expect(throws: AuthError(.jsonDuplicateMember, "duplicate JSON member name at byte 9")) {
        try JSONValue(parsing: bytes)
      }
    }
  }

  @Test func `is the same again after writing`() throws {
    for file in try JSONTestSuite.files() where file.lastPathComponent.hasPrefix("y_") {
      guard let value = try? JSONValue(parsing: Data(contentsOf: file)) else { continue }
      #expect(try JSONValue(parsing: value.serialized()) == value, "\(file.lastPathComponent)")
    }
  }
}

private enum JSONTestSuite {
  private static let folder: URL = {
    let named = ProcessInfo.processInfo.environment["GATEHOUSE_VECTORS"].map { URL(fileURLWithPath: $0) }
    let root = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let vectors = named ?? root.deletingLastPathComponent().appendingPathComponent("shared/vectors")
    return vectors.appendingPathComponent("JSONTestSuite/test_parsing")
  }()

  static let twice = ["y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json"]

  static var isHere: Bool { FileManager.default.fileExists(atPath: folder.path) }

  static func files() throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "json" }
  }
}
