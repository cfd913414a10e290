import Foundation
import GatehouseBase
import GatehouseJOSE

/// The folder of one target's first inputs: a file for each, called by its hash, so that none is there twice.
struct SeedFolder {
  private let folder: URL

  init(_ parent: String, _ target: String) throws {
    folder = URL(fileURLWithPath: parent).appendingPathComponent(target)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func write(_ seeds: [[UInt8]]) throws {
    for seed in seeds {
      let name = Base64URL.encode(try HashAlgorithm.sha256.hash(seed).prefix(12))
      try Data(seed).write(to: folder.appendingPathComponent(name))
    }
  }
}
