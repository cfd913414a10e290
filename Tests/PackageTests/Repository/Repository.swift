import Foundation

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

  /// The files below a folder whose names end so, relative to the root, in order. A package within is not looked at.
  static func files(in folder: String, ending: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(folder)").sorted()
      .filter { $0.hasSuffix(ending) && !$0.split(separator: "/").contains { $0.hasPrefix(".") } }
      .map { "\(folder)/\($0)" }
      .filter { !$0.hasPrefix("Tests/Benchmarks/") }
  }

  /// The Swift sources below a folder.
  static func sources(in folder: String) throws -> [SourceFile] {
    try files(in: folder, ending: ".swift").map { SourceFile(path: $0, text: try text(of: $0)) }
  }
}
