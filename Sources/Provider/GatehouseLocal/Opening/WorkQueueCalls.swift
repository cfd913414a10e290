import GatehouseBase
import GatehouseQueues

/// Runs the async form of a call: begins on the work queue in the turn in which the call arrives, and resumes the
/// caller on the caller's own executor.
func onWorkQueue<Value: Sendable>(
  _ operation: @escaping @WorkQueue @Sendable () async throws(AuthError) -> Value
) async throws(AuthError) -> Value {
  try await WorkQueue.result(of: operation).typed()
}
