import CProcessors
import Foundation
import TokenSamples

/// Threads that do one thing at once, as often as they can, each on a processor of its own.
enum Crew {
  /// How often a second all of them together did it, by the wall clock, over a while.
  ///
  /// `prepare` is called on each thread, before the clock starts, and makes what the thread repeats.
  static func throughput(
    threads: Int, seconds: Double, prepare: @escaping @Sendable () throws -> (Int) throws -> Void
  ) throws -> Double {
    let results = Results()
    let start = Start(threads)
    for number in 0..<threads {
      Thread {
        // New threads often begin on one processor, and the system moves them apart only after a while.
        stay_on_processor(Int32(number))
        results.add(Result { try rate(seconds, start, prepare) })
      }
      .start()
    }
    return try results.wait(for: threads).map { try $0.get() }.reduce(0, +)
  }

  private static func rate(
    _ seconds: Double, _ start: Start, _ prepare: () throws -> (Int) throws -> Void
  ) throws -> Double {
    let work: (Int) throws -> Void
    do {
      work = try prepare()
      try work(20)
    } catch {
      start.arrive()
      throw error
    }
    start.arrive()
    let begin = Stopwatch.now
    var done = 0
    var elapsed = 0.0
    repeat {
      try work(20)
      done += 20
      elapsed = Stopwatch.now - begin
    } while elapsed < seconds
    return Double(done) / elapsed
  }

  /// A barrier: no thread continues before all have arrived.
  private final class Start: @unchecked Sendable {  // behind its condition
    private let condition = NSCondition()
    private var missing: Int

    init(_ count: Int) { missing = count }

    func arrive() {
      condition.lock()
      missing -= 1
      condition.broadcast()
      while missing > 0 { condition.wait() }
      condition.unlock()
    }
  }

  private final class Results: @unchecked Sendable {  // behind its condition
    private let condition = NSCondition()
    private var results: [Result<Double, any Error>] = []

    func add(_ result: Result<Double, any Error>) {
      condition.lock()
      results.append(result)
      condition.broadcast()
      condition.unlock()
    }

    func wait(for count: Int) -> [Result<Double, any Error>] {
      condition.lock()
      defer { condition.unlock() }
      while results.count < count { condition.wait() }
      return results
    }
  }
}
