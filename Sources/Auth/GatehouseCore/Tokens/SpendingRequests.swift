import GatehouseBase
import GatehouseQueues
import IdentityToolkit

/// The requests that spend one refresh token: the first, and a second beside it if no answer comes in time.
///
/// The provider repeats its answer for a short time only (30 seconds, decision 107), and a client cannot tell a late
/// answer from a lost one. So it does not wait for its deadline, which comes after that time.
@WorkQueue
final class SpendingRequests {
  typealias Answer = (response: ExchangeRefreshToken.Response, received: ClockReading)

  private let call: ExchangeRefreshToken
  private let environment: EngineEnvironment
  private let answer = Promise<Answer, AuthError>()
  /// Resolves when every request has ended, or has taken so long that it will not be waited for any longer.
  let end = Promise<Void, AuthError>()
  private var open = 0
  private var requests: [Task<Void, Never>] = []

  init(_ call: ExchangeRefreshToken, _ environment: EngineEnvironment) {
    self.call = call
    self.environment = environment
  }

  /// Sends the token, and waits for an answer, also if its caller is cancelled: the answer has the only valid token.
  /// A refusal counts only if no other request is open.
  func firstAnswer() async throws(AuthError) -> Answer {
    send()
    let again = environment.time.after(RefreshPolicy.unsettled) { [weak self] in
      guard let self, !self.answer.isResolved else { return }
      self.environment.log(
        .notice, "a refresh has had no answer for \(Int(RefreshPolicy.unsettled)) s, and is asked for again")
      self.send()
    }
    let longest = max(environment.timeouts.refresh, RefreshPolicy.unsettled) * 2
    let bound = environment.time.after(longest) { [end] in end.resolve(.success(())) }
    WorkQueue.begin { [end] in
      _ = await end.result()
      bound.cancel()
    }
    defer { again.cancel() }
    let result = await withTaskCancellationHandler {
      await answer.resultDespiteCancellation()
    } onCancel: {
      WorkQueue.async("cancel") { for request in self.requests { request.cancel() } }
    }
    return try result.typed()
  }

  private func send() {
    open += 1
    requests.append(
      WorkQueue.begin {
        let result = await outcome { () throws(AuthError) in try await self.environment.ask(self.call) }
        self.open -= 1
        if case .failure = result, self.open > 0 { return }
        self.answer.resolve(result)
        if self.open == 0 { self.end.resolve(.success(())) }
      })
  }
}
