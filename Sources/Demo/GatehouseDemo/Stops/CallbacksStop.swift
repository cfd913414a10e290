import Dispatch
import Foundation
import Gatehouse

extension TourStop {
  private static let isMain = DispatchSpecificKey<Bool>()
  private static let calls = 100

  static let callbacksOnMain = TourStop("Callbacks arrive on the main queue, once each") { stage, evidence in
    let user = try stage.user()
    DispatchQueue.main.setSpecific(key: isMain, value: true)
    defer { DispatchQueue.main.setSpecific(key: isMain, value: nil) }

    let (arrivals, arrived) = AsyncStream.makeStream(of: Bool.self)
    let note: @Sendable () -> Void = { arrived.yield(DispatchQueue.getSpecific(key: isMain) == true) }
    let listener = stage.auth.addStateDidChangeListener { _, _ in note() }
    for _ in 0..<calls { Thread.detachNewThread { user.getIDToken { _ in note() } } }
    var seen: [Bool] = []
    await stage.awaiting("\(calls + 1) callbacks on the main queue") {
      for await isOnMain in arrivals.prefix(calls + 1) { seen.append(isOnMain) }
    }

    stage.auth.removeStateDidChangeListener(listener)
    // All other callbacks in flight have arrived before the main queue runs this block.
    await stage.awaiting("the main queue") {
      await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
    }
    arrived.finish()
    for await isOnMain in arrivals { seen.append(isOnMain) }
    let onMain = seen.count { $0 }
    evidence.expect("callbacks", seen.count, is: calls + 1)
    evidence.expect("callbacks on main", onMain, is: calls + 1)
    evidence.note = "\(onMain) of \(calls + 1) (\(calls) completions asked for on \(calls) threads, 1 listener)"
  }
}
