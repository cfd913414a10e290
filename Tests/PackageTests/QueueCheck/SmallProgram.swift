import Foundation
import GatehouseJOSE
import Testing

/// A program of one file, which knows nothing of us, run under `gate queuecheck`.
enum SmallProgram {
  /// Built with dispatch.
  static func run(
    c source: String, _ options: [String] = [], limit: String? = nil
  ) async throws -> ChildProcess.Outcome {
    try await run(
      source,
      [
        ["clang", "-g", "-c", "-o", "program.o", "program.c"], ["swiftc", "-o", "program", "program.o", "-ldispatch"],
      ], options, limit: limit)
  }

  static func run(cxx source: String, _ options: [String] = []) async throws -> ChildProcess.Outcome {
    try await run(source, [["clang++", "-std=c++20", "-g", "-pthread", "-o", "program", "program.cpp"]], options)
  }

  static func run(swift source: String, _ options: [String] = []) async throws -> ChildProcess.Outcome {
    try await run(source, [["swiftc", "-g", "-o", "program", "program.swift"]], options)
  }

  /// The findings that `gate queuecheck` writes as JSON.
  static func findings(swift source: String) async throws -> [JSONValue] {
    try await TemporaryFolder.with { folder in
      let json = "\(folder)/written"
      _ = try await run(swift: source, ["--json", json])
      let text = try Data(contentsOf: URL(filePath: json))
      return try JSONValue(parsing: Array(text), limits: .report)["findings"]?.array ?? []
    }
  }

  /// - Parameters:
  ///   - commands: make the file `program` from `program.c`, `program.cpp` or `program.swift`, in their folder.
  ///   - limit: the argument of `ulimit` for the program.
  static func run(
    _ source: String, _ commands: [[String]], _ options: [String] = [], limit: String? = nil
  ) async throws -> ChildProcess.Outcome {
    try await TemporaryFolder.with { folder in
      for name in ["program.c", "program.cpp", "program.swift"] {
        try Data(source.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
      }
      for command in commands {
        var build = ChildProcess(command[0], Array(command.dropFirst()))
        build.folder = folder
        let built = try await build.run()
        try #require(built.succeeded, "\(built)")
      }
      let limited = limit.map { ["bash", "-c", "ulimit \($0); exec \"$0\""] } ?? []
      return try await QueueCheckScene.run(limited + ["\(folder)/program"], options)
    }
  }
}
