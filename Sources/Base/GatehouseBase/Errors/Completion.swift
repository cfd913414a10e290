public import Foundation

/// Called with the outcome of a call, exactly once, on every path.
///
/// A closure that is isolated to an actor, usually the main actor, is called on that actor. Any other closure is called
/// on the callback queue, which is the main queue unless the configuration names another. The closure is released where
/// it is called.
public typealias Completion<Value: Sendable> = @isolated(any) @Sendable (Result<Value, AuthError>) -> Void
