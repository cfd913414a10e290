/// A program in the shape of one of Firebase's documentation or of a popular tutorial, with what it prints.
struct FirebaseProgram: Sendable {
  let name: String
  let output: [String]
  /// Starts the program, as a tap or the start of an app does. What it prints may come later.
  let start: @MainActor @Sendable () async throws -> Void

  init(_ name: String, prints output: String..., start: @escaping @MainActor @Sendable () async throws -> Void) {
    self.name = name
    self.output = output
    self.start = start
  }

  /// Runs the program until it has printed as many lines as it should.
  @MainActor
  func run() async -> String? {
    Transcript.shared.begin()
    do { try await start() } catch { print("threw: \(error)") }
    while Transcript.shared.lines.count < output.count { await Task.yield() }
    let lines = Transcript.shared.lines
    return lines == output ? nil : "printed \(lines), not \(output)"
  }
}
