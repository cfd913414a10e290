import Dispatch
import GatehouseQueues
import HangGuard
import Testing

/// The patience is three seconds, so a tick takes 0.375 s and a report is late by at most that much.
struct DrainWatchTests {
  @Test func `a delivery that never begins is reported when the patience is over, once`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let scene = Scene()
      scene.watch.willDeliver()
      scene.steps.advance(to: 2.99)
      #expect(scene.reports == [])
      scene.steps.advance(to: 3)
      #expect(scene.reports == [3])
      scene.watch.willDeliver()
      scene.steps.advance(to: 60)
      #expect(scene.reports == [3] && scene.steps.timers == 0)
      #expect(scene.text.contains("1 callback waits for the queue") && scene.text.contains("test.watched"))
      #expect(scene.text.contains("callbackQueue") && scene.text.contains("async"), "the two ways out")
    }
  }

  @Test func `a queue that stops is reported the patience after its last movement, whenever that was`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      for moment in [0.001, 0.1, 0.374, 0.376, 1, 2.9, 2.999, 3.001, 3.1, 5.9, 17.3] {
        let scene = Scene()
        scene.watch.willDeliver()
        for last in stride(from: 0.05, to: moment, by: 0.05) { scene.deliverOneOfTwo(at: last) }
        scene.deliverOneOfTwo(at: moment)
        scene.steps.advance(to: moment + 60)
        let report = scene.reports.first ?? .infinity
        #expect((moment + 3...moment + 3.375).contains(report), "stopped at \(moment), reported at \(report)")
        #expect(scene.reports.count == 1)
      }
    }
  }

  @Test func `a queue that was idle for a while is watched anew from its next delivery`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let scene = Scene()
      for _ in 0..<5 {
        scene.watch.willDeliver()
        scene.watch.began()
        scene.watch.ended()
      }
      scene.steps.advance(to: 30)
      #expect(scene.steps.timers == 0, "an idle queue is not watched")
      scene.watch.willDeliver()
      scene.steps.advance(to: 60)
      #expect(scene.reports == [33])
    }
  }

  @Test func `a queue that is slow but moves is not reported, however many wait`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let scene = Scene()
      for _ in 0..<100 { scene.watch.willDeliver() }
      for number in 0..<100 {
        scene.watch.began()
        scene.steps.advance(to: Double(number) * 2 + 1.9)
        scene.watch.ended()
        scene.steps.advance(to: Double(number) * 2 + 2)
      }
      scene.steps.advance(to: 600)
      #expect(scene.reports == [] && scene.steps.timers == 0)
    }
  }

  @Test func `a delivery that takes long is not reported, and the wait behind it counts from its end`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let scene = Scene()
      scene.watch.willDeliver()
      scene.watch.willDeliver()
      scene.watch.began()
      scene.steps.advance(to: 20)
      #expect(scene.reports == [])
      scene.watch.ended()
      scene.steps.advance(to: 60)
      let report = try #require(scene.reports.first)
      #expect((23...23.375).contains(report))
    }
  }

  @Test func `there is one timer at most, on no serial queue`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let scene = Scene()
      for number in 0..<1_000 {
        scene.watch.willDeliver()
        scene.watch.willDeliver()
        scene.steps.advance(to: Double(number) * 0.1)
        for _ in 0..<2 {
          scene.watch.began()
          scene.watch.ended()
        }
      }
      #expect(scene.steps.mostTimers == 1 && scene.steps.serialTimers == 0)
    }
  }

  @Test func `the report comes in real time, off the work queue`() async {
    let (reports, continuation) = AsyncStream.makeStream(of: Bool.self)
    let watch = DrainWatch(label: "test.watched", patience: .milliseconds(2)) { _ in
      continuation.yield(WorkQueue.executor.isCurrent)
    }
    WorkQueue.async { watch.willDeliver() }
    var iterator = reports.makeAsyncIterator()
    #expect(await iterator.next() == false)
  }

  @Test func `a callback queue's report comes the patience after it has stopped`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let steps = HandTurnedSteps()
      let reports = Lock<[Double]>([])
      let queue = CallbackQueue(DispatchQueue(label: "test.callbacks"), patience: .seconds(3)) { _ in
        reports.withLock { $0.append(steps.now) }
      }
      queue.deliver {}
      steps.runNext()
      steps.advance(to: 0.1)
      queue.deliver {}
      steps.advance(to: 60)
      let report = try #require(reports.withLock { $0.first })
      #expect((3.1...3.475).contains(report), "reported at \(report)")
    }
  }

  /// A watch on steps that the test controls.
  private final class Scene: Sendable {
    let steps = HandTurnedSteps()
    let watch: DrainWatch
    private let seen: Lock<[(moment: Double, text: String)]>

    init() {
      endIfItHangs()
      let steps = steps
      let seen = Lock<[(moment: Double, text: String)]>([])
      self.seen = seen
      watch = DrainWatch(label: "test.watched", patience: .seconds(3)) { text in
        seen.withLock { $0.append((steps.now, text)) }
      }
    }

    /// The times of the reports.
    var reports: [Double] { seen.withLock { $0.map(\.moment) } }
    var text: String { seen.withLock { $0.first?.text ?? "" } }

    /// Queues one delivery, and delivers the previous one.
    func deliverOneOfTwo(at moment: Double) {
      steps.advance(to: moment)
      watch.willDeliver()
      watch.began()
      watch.ended()
    }
  }
}
