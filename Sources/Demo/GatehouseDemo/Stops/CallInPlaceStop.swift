import Gatehouse
import GatehouseQueues

extension TourStop {
  static let callInPlace = TourStop("A synchronous call on the work queue answers, and is reported") {
    stage, evidence in
    guard !StrictMode.isOn else {
      // This is by design: in strict mode the call would stop the process, with advice.
      throw AuthError(.operationNotAllowed, "strict mode is on; run the tour without GATEHOUSE_STRICT")
    }
    let user = try stage.user()
    let before = Auth.diagnostics.callsInPlace
    let answer = await withCheckedContinuation { continuation in
      WorkQueue.async("tour") { continuation.resume(returning: stage.auth.currentUser?.uid) }
    }
    let reports = await stage.awaiting("the report of the call in the log") {
      await stage.log.awaitMessages(with: "answered in place")
    }
    let calls = Auth.diagnostics.callsInPlace - before
    evidence.expect("the answer", answer, is: user.uid)
    evidence.expect("calls in place", calls, is: 1)
    evidence.expect("reports", reports.count, is: 1)
    evidence.expect("reports that name the call", reports.count { $0.contains("currentUser") }, is: 1)
    evidence.note = "currentUser answered; \(calls) call in place counted, \(reports.count) report in the log"
  }
}
