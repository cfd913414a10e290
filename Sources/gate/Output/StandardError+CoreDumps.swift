import GatehouseSystem

extension StandardError {
  /// Forbids the files that a crash leaves, for a program that holds secrets for long, and those that it starts. If that
  /// fails, the program says so and goes on.
  static func forbidCoreDumps() {
    do throws(SystemError) { try CoreDumps.forbid() } catch { say("a crash may leave a core file: \(error)") }
  }
}
