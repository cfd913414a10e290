import GatehouseBase
import GatehouseQueues
import IdentityToolkit

/// The calls that change no session: messages with codes, and the use of the codes. `close()` ends them.
@WorkQueue
final class SessionlessCalls {
  private let admission: CallAdmission
  private let environment: EngineEnvironment
  private let calls: CallsInFlight

  nonisolated init(_ admission: CallAdmission, _ environment: EngineEnvironment, _ calls: CallsInFlight) {
    self.admission = admission
    self.environment = environment
    self.calls = calls
  }

  /// Makes a call to the backend. A caller that leaves early cancels the call.
  func ask<C: Call>(_ call: C, _ name: StaticString, timeout: Duration?) async throws(AuthError) -> C.Response {
    try admission.checkOpen()
    if Task.isCancelled { throw .cancelled }
    let promise = Promise<C.Response, AuthError>()
    let task = WorkQueue.begin {
      promise.resolve(
        await outcome { () throws(AuthError) in try await self.environment.ask(call).response })
    }
    return try await calls.wait(for: promise, name, timeout: timeout) { task.cancel() }
  }
}
