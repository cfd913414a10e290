import Foundation
import Synchronization

/// The package's own folder.
enum Repository {
  /// Its absolute path, without a slash at the end.
  static let root: String = {
    var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    parts.removeLast(4)  // Tests/PackageTests/Repository/Repository.swift
    return parts.joined(separator: "/")
  }()

  /// Where the modules that these tests were built with lie: beside the test program.
  static let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path

  static func text(of path: String) throws -> String {
    try String(contentsOf: URL(filePath: "\(root)/\(path)"), encoding: .utf8)
  }

  static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: "\(root)/\(path)") }

  /// The files below a folder whose names end so, relative to the root, in order. What is hidden, or a package of its
  /// own, is left out.
  static func files(in folder: String, ending: String) throws -> [String] {
    guard let names = FileManager.default.enumerator(atPath: "\(root)/\(folder)") else {
      throw Failure(description: "there is no folder \(folder)")
    }
    var found: [String] = []
    while let name = names.nextObject() as? String {
      let path = "\(folder)/\(name)"
      if path.contains("/.") || exists("\(path)/Package.swift") {
        names.skipDescendants()
      } else if path.hasSuffix(ending) {
        found.append(path)
      }
    }
    return found.sorted()
  }

  /// The module maps of our C modules, and of those that our dependencies bring.
  static func moduleMaps() throws -> [String] {
    let ours = try files(in: "Sources", ending: "module.modulemap").map { "\(root)/\($0)" }
    let build = URL(filePath: products).deletingLastPathComponent().deletingLastPathComponent()
    let theirs = [
      "GRDB.swift/Sources/GRDBSQLite", "swift-system/Sources/CSystem/include",
      "swift-atomics/Sources/_AtomicsShims/include", "swift-numerics/Sources/_NumericsShims/include",
      "swift-nio/Sources/CNIOWindows/include",
    ].map { folder in build.appending(path: "checkouts/\(folder)/module.modulemap").path }
    // Those of SwiftNIO's and AsyncHTTPClient's C modules are written by the build.
    let built = try FileManager.default.contentsOfDirectory(atPath: products).filter {
      ($0.hasPrefix("CNIO") || $0.hasPrefix("CAsyncHTTPClient"))
        && FileManager.default.fileExists(atPath: "\(products)/\($0)/module.modulemap")
    }
    return ours + theirs + built.map { "\(products)/\($0)/module.modulemap" }
  }

  /// The names of the folders in a folder. What is hidden is left out.
  static func folders(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(
      at: URL(filePath: "\(root)/\(folder)"), includingPropertiesForKeys: [.isDirectoryKey],
      options: .skipsHiddenFiles
    )
    .filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }
    .map(\.lastPathComponent)
  }

  /// The Swift sources below a folder. Each file is read once: to find the comments of all takes seconds.
  static func sources(in folder: String) throws -> [SourceFile] {
    try files(in: folder, ending: ".swift").map { path in
      if let file = read.withLock({ $0[path] }) { return file }
      let file = SourceFile(path: path, text: try text(of: path))
      read.withLock { $0[path] = file }
      return file
    }
  }
  private static let read = Mutex<[String: SourceFile]>([:])
}

/// Why a test could not begin.
struct Failure: Error, CustomStringConvertible {
  let description: String
}
