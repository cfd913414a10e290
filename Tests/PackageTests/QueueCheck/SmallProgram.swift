import Foundation
import Testing

/// A program of one file, which knows nothing of us: built with dispatch, then run under `gate queuecheck`.
enum SmallProgram {
  static func run(c source: String, _ options: [String] = []) async throws -> ChildProcess.Outcome {
    try await run(source, options) { folder in
      try await build(["clang", "-g", "-c", "-o", "\(folder)/program.o", "\(folder)/program.c"])
      try await build(["swiftc", "-o", "\(folder)/program", "\(folder)/program.o", "-ldispatch"])
    }
  }

  static func run(swift source: String, _ options: [String] = []) async throws -> ChildProcess.Outcome {
    try await run(source, options) { folder in
      try await build(["swiftc", "-g", "-o", "\(folder)/program", "\(folder)/program.swift"])
    }
  }

  private static func run(
    _ source: String, _ options: [String], building: (_ folder: String) async throws -> Void
  ) async throws -> ChildProcess.Outcome {
    try await TemporaryFolder.with { folder in
      for name in ["program.c", "program.swift"] {
        try Data(source.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
      }
      try await building(folder)
      return try await QueueCheckScene.run(["\(folder)/program"], options)
    }
  }

  private static func build(_ command: [String]) async throws {
    let built = try await ChildProcess(command[0], Array(command.dropFirst())).run()
    try #require(built.succeeded, "\(built)")
  }
}
