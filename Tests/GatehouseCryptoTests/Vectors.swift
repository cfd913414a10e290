import Foundation
import GatehouseBase

/// The folder of public test vectors: `GATEHOUSE_VECTORS`, by default beside the package.
enum Vectors {
  private static let folder: URL = {
    let named = ProcessInfo.processInfo.environment["GATEHOUSE_VECTORS"].map { URL(fileURLWithPath: $0) }
    let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    return named ?? root.deletingLastPathComponent().appendingPathComponent("shared/vectors")
  }()

  static var areHere: Bool { FileManager.default.fileExists(atPath: folder.appendingPathComponent("wycheproof").path) }

  /// The test groups of one of Wycheproof's files.
  static func groups(_ name: String) throws -> [JSONValue] {
    let data = try Data(contentsOf: folder.appendingPathComponent("wycheproof/\(name)_test.json"))
    return try JSONValue(parsing: data)["testGroups"]?.array ?? []
  }
}

/// One of Wycheproof's tests.
struct VectorTest {
  let id: Int64
  let message, signature, key: [UInt8]
  let result: String?

  init(_ json: JSONValue) {
    id = json["tcId"]?.integer ?? 0
    message = bytes(hex: json["msg"]?.string ?? "")
    signature = bytes(hex: json["sig"]?.string ?? json["tag"]?.string ?? "")
    key = bytes(hex: json["key"]?.string ?? "")
    result = json["result"]?.string
  }
}
