import Gatehouse
import GatehouseBase
import Logging

/// Follows a session and hands out each fresh token, until a signal ends the watch or something ends the session.
///
/// The engine refreshes ahead of expiry and backs off; what it logs goes to standard error. A signal closes the `Auth`,
/// and that ends the stream of changes.
struct TokenWatch {
  let auth: Auth
  let place: TokenPlace
  let command: ChangeCommand?

  /// - Throws: why the session ended, with what to do; or that a token could not be put where it belongs.
  func run() async throws(AuthError) {
    let signals = EndSignals { [auth] in
      // The next `close()` throws the error of what could not be stored.
      Task { try? await auth.close() }
    }
    var last: String?
    for await user in auth.idTokenChanges {
      guard let user else { break }
      let token: String
      do throws(AuthError) {
        token = try await user.getIDToken()
      } catch {
        // The engine tries again, or the next change has the reason why it does not.
        if auth.state != .closed { Logger.watch.warning("no fresh token yet: \(error)") }
        continue
      }
      guard token != last else { continue }
      try place.put(token)
      last = token
      await command?.isDue()
    }
    signals.cancel()
    await command?.finish()
    guard case .signedOut(let reason) = auth.state else { return }
    throw AuthError(
      reason?.code ?? .sessionEnded,
      "the session has ended (\(reason?.message ?? "the user signed out")); sign in again: gate sign-in EMAIL")
  }
}
