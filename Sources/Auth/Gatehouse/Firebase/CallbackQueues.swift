import GatehouseCore
package import GatehouseQueues

// The queue on which each object's completions are called, for the completion forms that GatehouseFirebase adds.

extension Auth {
  /// The callback queue.
  package var callbacks: CallbackQueue { engine.callbacks }
}

extension User {
  /// The callback queue of the user's `Auth`.
  package var callbacks: CallbackQueue { engine.callbacks }
}

extension UserProfileChangeRequest {
  /// The callback queue of the user's `Auth`.
  package var callbacks: CallbackQueue { user.callbacks }
}

extension MultiFactor {
  /// The callback queue of the user's `Auth`.
  package var callbacks: CallbackQueue { user.callbacks }
}

extension MultiFactorSession {
  /// The callback queue of the `Auth` that the session belongs to.
  package var callbacks: CallbackQueue { engine.callbacks }
}

extension MultiFactorResolver {
  /// The callback queue of the `Auth` that the user signs in to.
  package var callbacks: CallbackQueue { auth.callbacks }
}

extension PhoneAuthProvider {
  /// The callback queue of the provider's `Auth`.
  package var callbacks: CallbackQueue { auth.callbacks }
}
