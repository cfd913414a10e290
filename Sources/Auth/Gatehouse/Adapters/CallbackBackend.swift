public import Foundation
import GatehouseBase
import GatehouseQueues
public import IdentityToolkit

/// A backend in callback style; `adapted` turns it into a `Backend`.
///
/// The backend may call the completion on any thread, at once or later. The first call counts; others are ignored. An
/// answer after the caller's deadline is dropped.
public protocol CallbackBackend: Sendable {
  /// Answers one call. Called on a background thread; any number of calls may run at once.
  func answer<C: Call>(_ call: C, completion: @escaping @Sendable (Result<C.Response, AuthError>) -> Void)

  /// Whether each refresh issues a new refresh token and invalidates the old one; see `Backend`. `false` by default.
  var rotatesRefreshTokens: Bool { get }

  /// Whether the ID tokens come from an emulator, which does not sign them; see `Backend`. `false` by default.
  var isEmulator: Bool { get }
}

extension CallbackBackend {
  /// `false`: a refresh token may be used many times, by several `Auth`s.
  public var rotatesRefreshTokens: Bool { false }
  /// `false`: tokens are signed.
  public var isEmulator: Bool { false }

  /// This backend as a `Backend`, for `Auth.Configuration`.
  public var adapted: some Backend { AdaptedBackend(base: self) }
}

private struct AdaptedBackend<Base: CallbackBackend>: Backend {
  let base: Base

  var rotatesRefreshTokens: Bool { base.rotatesRefreshTokens }
  var isEmulator: Bool { base.isEmulator }

  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    try await FirstAnswer.of { base.answer(call, completion: $0) }
  }
}

/// Waits for a completion that may be called on any thread, twice, late, or never.
enum FirstAnswer {
  static func of<Value: Sendable>(
    _ begin: (@escaping @Sendable (Result<Value, AuthError>) -> Void) -> Void
  ) async throws(AuthError) -> Value {
    typealias Waiter = CheckedContinuation<Result<Value, AuthError>, Never>
    let waiter = Lock<Waiter?>(nil)
    let answer: @Sendable (Result<Value, AuthError>) -> Void = { result in
      let waiting = waiter.withLock { waiter in
        defer { waiter = nil }
        return waiter
      }
      waiting?.resume(returning: result)
    }
    let result = await withTaskCancellationHandler {
      await untilResumed { (continuation: Waiter) in
        waiter.withLock { $0 = continuation }
        // Handles a cancellation that came before the continuation was stored.
        guard !Task.isCancelled else { return answer(.failure(.cancelled)) }
        begin(answer)
      }
    } onCancel: {
      answer(.failure(.cancelled))
    }
    return try result.typed()
  }
}
