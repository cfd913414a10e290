package import Foundation
package import GatehouseBase

/// The folder of public test vectors: `GATEHOUSE_VECTORS`, by default beside the package.
///
/// `GATEHOUSE_MORE_VECTORS` may name a folder with more of Wycheproof's files (`testvectors_v1` of its repository):
/// tests of files that are in neither are skipped.
package enum Vectors {
  private static let folder = named("GATEHOUSE_VECTORS") ?? beside
  private static let more = named("GATEHOUSE_MORE_VECTORS")

  private static func named(_ variable: String) -> URL? {
    ProcessInfo.processInfo.environment[variable].map { URL(fileURLWithPath: $0) }
  }

  private static var beside: URL {
    let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    return root.deletingLastPathComponent().appendingPathComponent("shared/vectors")
  }

  package static var areHere: Bool {
    FileManager.default.fileExists(atPath: folder.appendingPathComponent("wycheproof").path)
  }

  /// Whether one of Wycheproof's files is here.
  package static func has(_ name: String) -> Bool { wycheproof(name) != nil }

  /// The test groups of one of Wycheproof's files.
  package static func groups(_ name: String) throws -> [JSONValue] {
    guard let file = wycheproof(name) else { throw AuthError(.invalidArgument, "there is no \(name)") }
    let limits = JSONLimits(bytes: 64 << 20, depth: 32, members: 4096, nameBytes: 4096)
    return try JSONValue(parsing: Data(contentsOf: file), limits: limits)["testGroups"]?.array ?? []
  }

  /// A file of the folder.
  package static func data(_ path: String) throws -> Data {
    try Data(contentsOf: folder.appendingPathComponent(path))
  }

  private static func wycheproof(_ name: String) -> URL? {
    let file = "\(name)_test.json"
    return [folder.appendingPathComponent("wycheproof/\(file)"), more?.appendingPathComponent(file)]
      .compactMap(\.self).first { FileManager.default.fileExists(atPath: $0.path) }
  }
}

/// One of Wycheproof's tests of signatures and tags.
package struct VectorTest {
  package let id: Int64
  package let message, signature, key: [UInt8]
  package let result: String?

  package init(_ json: JSONValue) {
    id = json["tcId"]?.integer ?? 0
    message = bytes(hex: json["msg"]?.string ?? "")
    signature = bytes(hex: json["sig"]?.string ?? json["tag"]?.string ?? "")
    key = bytes(hex: json["key"]?.string ?? "")
    result = json["result"]?.string
  }
}
