import Foundation

/// A peer that is written in Swift and in this package, as Peers/README.md says what a peer is.
public enum PeerProgram {
  /// Runs the program. `prepare` reads what the folder has for the algorithm, and returns a closure that verifies a
  /// number of times.
  public static func run(
    version: String, prepare: (_ folder: String, _ algorithm: SampleAlgorithm) throws -> (Int) throws -> Void
  ) -> Never {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let seconds = Double(arguments[3]) else { exit(2) }
    guard let algorithm = SampleAlgorithm(rawValue: arguments[2]) else { exit(3) }
    do {
      let verify = try prepare(arguments[1], algorithm)
      _ = try time(verify, for: seconds / 4)
      let (count, time) = try time(verify, for: seconds)
      print(count, time, version)
      exit(0)
    } catch {
      FileHandle.standardError.write(Data("\(arguments[0]): \(error)\n".utf8))
      exit(1)
    }
  }

  private static func time(
    _ verify: (Int) throws -> Void, for seconds: Double
  ) throws -> (count: Int, time: Double) {
    let begin = processorTime
    var count = 0
    var time = 0.0
    repeat {
      try verify(20)
      count += 20
      time = processorTime - begin
    } while time < seconds
    return (count, time)
  }

  private static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
