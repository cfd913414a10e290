import Gatehouse
import GatehouseTesting
import Testing

/// A backend of your own: this one asks another, and writes a line for each call.
struct NotedBackend: Backend {
  let backend = ScriptedBackend()
  let note: @Sendable (String) -> Void

  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    note("\(C.self)")
    return try await backend.answer(call)
  }
}

@Test(arguments: BackendContract.all)
func `my backend keeps the contract`(check: BackendContract.Check) async throws {
  try await check.run { NotedBackend { _ in } }
}
