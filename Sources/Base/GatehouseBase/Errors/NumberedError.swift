public import Foundation

/// The form of an `AuthError` for Foundation: an `NSError`.
///
/// Not a class of its own to use. It gives the inherited number a lower rank, so that `error.code` is the
/// `AuthError.Code` of an `AuthError`, and the number of an `NSError`.
// @unchecked as `NSError` is; it adds no state.
public class NumberedError: NSError, @unchecked Sendable {
  /// The number of the code: `(error as NSError).code`.
  @_disfavoredOverload public final override var code: Int { super.code }

  init(domain: String, number: Int) { super.init(domain: domain, code: number) }

  /// Errors are not archived.
  public required init?(coder: NSCoder) { nil }
}
