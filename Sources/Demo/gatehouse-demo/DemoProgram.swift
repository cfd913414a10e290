import GatehouseDemo
import GatehouseSystem

/// The program of `scripts/demo`: the tour of `gate demo`, without what the rest of the command needs to be built.
///
/// The exit status is 0 only if every promise held.
@main enum DemoProgram {
  static func main() async {
    InheritedDescriptor.makeStandardOnesSafe()
    do {
      // A name that is not UTF-8 becomes that of no folder, and the stage says so.
      let temporary = CurrentProcess.variable("TMPDIR").map { String(decoding: $0, as: UTF8.self) }
      let columns = max(InheritedDescriptor.output.columns ?? 80, 20)
      let tour = Tour(on: try Stage(in: temporary), columns: columns) { line in
        try InheritedDescriptor.output.write(Array((line + "\n").utf8))
      }
      CurrentProcess.exit(try await tour.run() == 0 ? 0 : 1)
    } catch {
      try? InheritedDescriptor.error.write(Array("gatehouse-demo: \(error)\n".utf8))
      CurrentProcess.exit(1)
    }
  }
}
