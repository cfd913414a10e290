/// The reason why a suppression, or a list of them, cannot be used.
public struct SuppressionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The description of the fault, for people. Not for programs: the text may change.
  public let message: String

  init(_ message: String) { self.message = message }

  /// The message.
  public var description: String { message }
}
